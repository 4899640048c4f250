/**
 * JSON-RPC over standard input and output.
 *
 * @packageDocumentation
 */

export * from "./client.ts";
export * from "./server.ts";
