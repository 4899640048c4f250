/**
 * Standard input and output: `StdioTransport` for servers, `CommandTransport` for clients. Node
 * only.
 *
 * @packageDocumentation
 */

export * from "@tenon/transports-stdio";
