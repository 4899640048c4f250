/**
 * The client's side of HTTP+SSE.
 *
 * @packageDocumentation
 */

export { SSEClientTransport, type SSEClientLimits, type SSEClientOptions } from "./client/transport.ts";
