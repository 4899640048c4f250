/**
 * The server's side of HTTP+SSE.
 *
 * @packageDocumentation
 */

export {
  createSSEHandler,
  type SSEServeContext,
  type SSEServerLike,
  type SSESessionLike,
  type SSEHandler,
  type SSEHandlerOptions,
} from "./server/handler.ts";
export type { SSEHandlerLimits } from "./server/limits.ts";
export { SSEServerTransport, type SSEServerOptions } from "./server/transport.ts";
