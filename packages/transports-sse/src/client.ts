/**
 * The client's side of HTTP+SSE.
 *
 * @packageDocumentation
 */

export { SSEClientTransport, type SSEClientOptions } from "./client/transport.ts";
