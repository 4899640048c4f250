/**
 * The client's side of HTTP: `undici` on Node, `fetch` elsewhere.
 *
 * @packageDocumentation
 */

export {
  noAuth,
  staticToken,
  type AuthChallenge,
  type AuthObservation,
  type AuthProvider,
  type AuthRequest,
  type HeadersLike,
  type LoginOptions,
} from "./client/auth.ts";
export { fetchWire, type FetchLike } from "./client/fetch-wire.ts";
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from "./client/http-client.ts";
export { httpUrl, networkOf, type HttpNetwork } from "./client/http-url.ts";
export { readExcerpt, readText, receivedText, withText } from "./client/read-body.ts";
export { placeOf, retryAfter, shownUrl, statusError, unexpectedResponse } from "./client/refusal.ts";
export type { ReceivedEvent } from "./client/event-parser.ts";
export { readEvents, type ReadEventsOptions } from "./client/read-events.ts";
export { abortSignalOf, RequestAbort, type RequestSignal } from "./client/request-signal.ts";
export { untilAccepted } from "./client/until-accepted.ts";
export {
  failureText,
  sendFailureOf,
  type SendFailure,
  type Wire,
  type WireRequest,
  type WireResponse,
} from "./client/wire.ts";
export { HttpError, httpErrors, isHttpError, type Delivered, type HttpErrorCode } from "./error.ts";
export { accepts, mediaType } from "./media-type.ts";
export type { FoundProxy } from "./client/platform/found-proxy.ts";
export { environmentFetch, findProxy, platformWire, proxyFetch } from "#platform";
