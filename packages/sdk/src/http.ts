/**
 * HTTP: `createStreamableHandler` for servers, `StreamableClientTransport` for clients, and the
 * deprecated HTTP+SSE. Runs on every runtime.
 *
 * @packageDocumentation
 */

export * from "@tenon/transports-streamable-http";
export {
  createSSEHandler,
  SSEClientTransport,
  SSEServerTransport,
  type SSEClientLimits,
  type SSEClientOptions,
  type SSEHandler,
  type SSEHandlerLimits,
  type SSEHandlerOptions,
  type SSEServerOptions,
} from "@tenon/transports-sse";
