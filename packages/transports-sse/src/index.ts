/**
 * HTTP+SSE, the transport of revision 2024-11-05. Deprecated by Streamable HTTP, complete for those who still need it.
 *
 * @packageDocumentation
 */

export * from "./client.ts";
export * from "./server.ts";
