/**
 * The server's side of HTTP, independent of the runtime.
 *
 * @packageDocumentation
 */

export { HttpError, httpErrors, isHttpError, type Delivered, type HttpErrorCode } from "./error.ts";
export { accepts, mediaType } from "./media-type.ts";
export { type Authenticate, type Authenticated, type Identity } from "./server/authenticate.ts";
export {
  denialHeaders,
  findDenied,
  isDenial,
  isScope,
  type Authorize,
  type Denial,
  type Denied,
  type Operation,
} from "./server/authorize.ts";
export { formatChallenge } from "./server/challenge.ts";
export type { CorsOptions } from "./server/cors.ts";
export { endpointLimits, type EndpointLimits } from "./server/endpoint-limits.ts";
export {
  EventStream,
  eventStreamHeaders,
  formatEvent,
  type EventStreamLimits,
  type EventStreamOptions,
  type ServerSentEvent,
} from "./server/event-stream.ts";
export type { BodyLimits, ByteSink, Exchange, HeaderFields } from "./server/exchange.ts";
export {
  FrontDoor,
  refuseRevoked,
  withRetryAfter,
  type FrontDoorOptions,
  type Refuse,
  type Visit,
} from "./server/front-door.ts";
export { createHostGuard, type GuardOptions } from "./server/guard.ts";
export { watchExpiry, type Expiry } from "./server/expiry.ts";
export { hostName, hostPolicy } from "./server/origins.ts";
export { NodeExchange } from "./server/node-exchange.ts";
export type { NodeRequest, NodeResponse } from "./server/node-types.ts";
export { isPostponement, postponementHeaders, type Postponement } from "./server/postponement.ts";
export { headersFor, type RequestDescription } from "./server/describe-request.ts";
export { WebExchange } from "./server/web-exchange.ts";
