/**
 * Streamable HTTP, the transport of the Model Context Protocol over HTTP, in both eras.
 *
 * @packageDocumentation
 */

export * from "./client.ts";
export * from "./server.ts";
