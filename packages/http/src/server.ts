/**
 * The server's side of HTTP, independent of the runtime.
 *
 * @packageDocumentation
 */

export { HttpError, httpErrors, isHttpError, type Delivered, type HttpErrorCode } from "./error.ts";
export { accepts, mediaType } from "./media-type.ts";
export {
  checkIdentity,
  identify,
  type Authenticate,
  type Authenticated,
  type Identity,
} from "./server/authenticate.ts";
export {
  denialFor,
  denialHeaders,
  describeDenial,
  isDenial,
  isScope,
  type Authorize,
  type Denial,
  type Operation,
} from "./server/authorize.ts";
export { formatChallenge } from "./server/challenge.ts";
export { createCors, type Cors, type CorsOptions } from "./server/cors.ts";
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
export { createHostGuard, type Guard, type GuardOptions } from "./server/guard.ts";
export { watchExpiry, type Expiry } from "./server/expiry.ts";
export { hostName, hostPolicy } from "./server/origins.ts";
export { NodeExchange } from "./server/node-exchange.ts";
export type { NodeRequest, NodeResponse } from "./server/node-types.ts";
export { isPostponement, postponementHeaders, type Postponement } from "./server/postponement.ts";
export { Revocations } from "./server/revocations.ts";
export { headersFor, type RequestDescription } from "./server/describe-request.ts";
export { WebExchange } from "./server/web-exchange.ts";
