/**
 * Standard input and output: `StdioTransport` for servers, `CommandTransport` for clients. Node
 * only.
 *
 * @packageDocumentation
 */

// Not the main entry: a program loads a file less.
export * from "@tenon/transports-stdio/client";
export * from "@tenon/transports-stdio/server";
