/**
 * A client and a server in one process.
 *
 * @packageDocumentation
 */

export * from "@tenon/transports-memory";
