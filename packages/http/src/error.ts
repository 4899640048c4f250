import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link HttpErrorCode}. */
export const httpErrors = {
  BODY_TOO_LARGE: "a body is longer than allowed",
  BODY_INCOMPLETE: "the sender stopped before its body was complete",
  BODY_TIMEOUT: "a body did not arrive in the time allowed",
  OVERLOADED: "the server holds too many bytes of other requests",
  UNSUPPORTED_ENCODING: "the compression of a body is not supported",
  NETWORK: "the request could not be sent, or its response could not be received",
  STATUS: "the server rejected the request with an error status",
  UNEXPECTED_RESPONSE: "the server responded with something that is not a response to the request",
  REDIRECT: "the server redirects to another origin, or too often",
  EVENT_TOO_LARGE: "an event of an event stream is longer than allowed",
  INVALID_STATE: "the operation is not allowed in the current state of the exchange",
  STALLED: "the receiver does not read",
} as const;

/** The codes of {@link HttpError}. */
export type HttpErrorCode = keyof typeof httpErrors;

/** Whether a server may have acted on a request that failed: `no` for certain, or `maybe`. */
export type Delivered = "no" | "maybe";

const brand = Symbol.for("@tenon/http/HttpError");

/** A local error of the HTTP layer. Recognize it by `code`. */
export class HttpError extends Error {
  static {
    brandErrors(this.prototype, "HttpError", brand);
  }

  readonly code: HttpErrorCode;
  /**
   * The HTTP status, if the server responded: for `STATUS`, `UNEXPECTED_RESPONSE`, `REDIRECT`, and
   * for a stream that ended without a response.
   */
  readonly status: number | undefined;
  /**
   * For errors of a client: whether the server may have acted on the request. `no` is certain: no
   * connection was made, or the server rejected the request with its status. Otherwise `maybe`: if
   * you send such a request again, it may run twice.
   */
  readonly delivered: Delivered;
  /**
   * When a request may be sent again, in milliseconds after the response, if an error response
   * contained `Retry-After`.
   */
  readonly retryAfterMs: number | undefined;

  /**
   * A failure with its code.
   *
   * @param options - `cause` is kept; `status`: the HTTP status of the response; `delivered`:
   *   default `maybe`; `retryAfterMs`.
   */
  constructor(
    code: HttpErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly status?: number | undefined;
      readonly delivered?: Delivered | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.delivered = options.delivered ?? "maybe";
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for any copy of {@link HttpError}, optionally with this code. */
export function isHttpError(value: unknown, code?: HttpErrorCode): value is HttpError {
  return isBranded(value, brand, code);
}
