/**
 * HTTP+SSE, the transport of revision 2024-11-05. Streamable HTTP replaces it.
 *
 * @packageDocumentation
 */

export * from "./client.ts";
export * from "./server.ts";
