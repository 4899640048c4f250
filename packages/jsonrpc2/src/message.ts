import type { extra, MessageExtra, transportHint } from "./extra.ts";

/**
 * A request identifier: a string or an integer. The JSON type is part of the value, so `1` and
 * `"1"` are different ids.
 *
 * @source JSON-RPC 2.0 §4
 */
export type RequestId = string | number;

/**
 * The parameters of a request or notification: an object (by name) or an array (by position).
 *
 * @source JSON-RPC 2.0 §4.2
 */
export type Params = object;

/** A message that expects exactly one {@link Response} with the same id. */
export interface Request {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
  readonly [extra]?: MessageExtra | undefined;
}

/** A message that never gets a response. @source R-108 */
export interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
  readonly [extra]?: MessageExtra | undefined;
}

/** The `error` of an {@link ErrorResponse}. @source JSON-RPC 2.0 §5.1 */
export interface ErrorObject {
  /** An integer. See `ErrorCode` for the predefined ones. */
  readonly code: number;
  /** One short sentence. @source R-109 */
  readonly message: string;
  /** Anything JSON can carry. */
  readonly data?: unknown;
  /** Facts about the error for the transport. Never sent. */
  readonly [transportHint]?: unknown;
}

/** A successful response. */
export interface ResultResponse {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: unknown;
}

/**
 * An error response. `id` is `null` or absent only when the id of the failing request could not be
 * read; such an error concerns the connection, not one call.
 *
 * @source
 */
export interface ErrorResponse {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | null;
  readonly error: ErrorObject;
}

/** Either kind of response. */
export type Response = ResultResponse | ErrorResponse;

/** One JSON-RPC message. */
export type Message = Request | Notification | Response;

/**
 * A JSON array of messages. Items that are not messages are {@link Malformed} and keep their place.
 * The reader decides whether a batch is allowed (`PeerOptions.batches`).
 *
 * @source JSON-RPC 2.0 §6
 */
export interface Batch {
  readonly batch: readonly (Message | Malformed)[];
}

/**
 * The result of decoding input that is not a message. It is a value rather than an exception, so
 * that one malformed frame never ends a connection: a `Peer` responds with `error` and continues to
 * read.
 */
export interface Malformed {
  /**
   * The error for the response: `-32700` (not JSON) or `-32600` (JSON, but not a valid message).
   */
  readonly malformed: ErrorObject;
  /** The id of the offending request, if it could be read. */
  readonly id?: RequestId | undefined;
  /**
   * Whether the input looked like a response. Responses never get a response, not even malformed
   * ones.
   */
  readonly response?: boolean | undefined;
  /**
   * Whether the input has an ID, but neither a method nor a payload. JavaScript writes such a
   * response if the result is `undefined`.
   */
  readonly bare?: boolean | undefined;
  /**
   * The ID of a response that follows other text in input that is not JSON. The response is not
   * accepted, because untrusted authors could have caused that output.
   */
  readonly stray?: RequestId | undefined;
  /** The limit of the decoder that the input exceeds. */
  readonly limit?: ExceededLimit | undefined;
}

/** A limit that refused a message. */
export interface ExceededLimit {
  /** The name of the option, such as `maxValues`. */
  readonly name: string;
  /** The value of the option. */
  readonly maximum: number;
}

/** A message or input that a connection can deliver. */
export type Incoming = Message | Batch | Malformed;

/** A message that a connection can send, or several in one batch. */
export type Outgoing = Message | readonly Message[];

/** True for a request: it has a method and an id. */
export function isRequest(message: Incoming): message is Request {
  return "method" in message && "id" in message;
}

/** True for a notification: it has a method and no id. */
export function isNotification(message: Incoming): message is Notification {
  return "method" in message && !("id" in message);
}

/** True for a response, successful or not. */
export function isResponse(message: Incoming): message is Response {
  return !("method" in message) && ("result" in message || "error" in message);
}

/** True for a {@link Batch}. */
export function isBatch(message: Incoming): message is Batch {
  // The envelope of a message may have properties of any name.
  return "batch" in message && !("jsonrpc" in message);
}

/** True for {@link Malformed} input. */
export function isMalformed(message: Incoming): message is Malformed {
  return "malformed" in message && !("jsonrpc" in message);
}

/**
 * Whether a value contains several messages to be sent as one batch. Use this guard, because an
 * envelope may have a property named `length`.
 */
export function isMany(outgoing: Outgoing): outgoing is readonly Message[] {
  return Array.isArray(outgoing);
}
