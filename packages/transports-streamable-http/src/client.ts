/**
 * The client's side of Streamable HTTP.
 *
 * @packageDocumentation
 */

export {
  HttpError,
  httpErrors,
  isHttpError,
  noAuth,
  proxyFetch,
  staticToken,
  type AuthChallenge,
  type AuthObservation,
  type AuthProvider,
  type AuthRequest,
  type Delivered,
  type FetchLike,
  type HeadersLike,
  type HttpErrorCode,
  type LoginOptions,
} from "@tenon/http/client";
export { createEraCache, type EraCache } from "./client/era-cache.ts";
export { isSessionLostError, SessionLostError } from "./client/error.ts";
export type {
  FallbackOptions,
  ListeningState,
  StreamReconnectOptions,
  StreamableClientLimits,
  StreamableClientOptions,
} from "./client/options.ts";
export { StreamableClientTransport } from "./client/transport.ts";
