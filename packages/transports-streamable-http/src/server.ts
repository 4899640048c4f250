/**
 * The server's side of Streamable HTTP.
 *
 * @packageDocumentation
 */

export type {
  CorsOptions,
  EndpointLimits,
  EventStreamLimits,
  EventStreamOptions,
  GuardOptions,
  NodeRequest,
  NodeResponse,
} from "@tenon/http/server";
export type { EventStore, StoredEvent, StreamKey } from "@tenon/stores";
export { createStreamableHandler, type NodeHandler, type StreamableHandler } from "./server/handler.ts";
export {
  createMemoryEventStore,
  type MemoryEventStoreLimits,
  type MemoryEventStoreOptions,
} from "./server/memory-event-store.ts";
export type {
  StatelessHandlerLimits,
  StreamableHandlerLimits,
  StreamableServerLimits,
} from "./server/limits.ts";
export type { ServeContext, StatelessHandlerOptions, StreamableHandlerOptions } from "./server/options.ts";
export type { GetServer, ServedRequest, ServerLike, SessionLike } from "./server/server-like.ts";
export type { SessionDescription, SessionEnd, SessionOptions } from "./server/session-options.ts";
export type { SessionStores } from "./server/session-stores.ts";
export { createStatelessHandler, type StatelessHandler } from "./server/stateless-handler.ts";
export { StreamableServerTransport, type StreamableServerOptions } from "./server/transport.ts";
