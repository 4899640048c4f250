import { brandErrors, isBranded, printable, quotedMessage, remoteError } from "@tenon/base";

import { transportHint } from "./extra.ts";
import type { ErrorObject, ExceededLimit } from "./message.ts";

/** The predefined codes of JSON-RPC 2.0 §5.1. */
export const ErrorCode = {
  /** Not JSON. */
  ParseError: -32700,
  /** JSON, but not a valid message. */
  InvalidRequest: -32600,
  /** No such method, or a method that the receiver does not offer. */
  MethodNotFound: -32601,
  /** The parameters are not valid for the method. */
  InvalidParams: -32602,
  /** Unexpected failure. */
  InternalError: -32603,
} as const;

const localBrand = Symbol.for("@tenon/jsonrpc2/LocalError");
const undeliverableBrand = Symbol.for("@tenon/jsonrpc2/undeliverable");

/**
 * An error response. If a handler throws it, the request gets this error; if a call gets an error
 * response, it rejects with this error. The message of a received error is what the remote peer
 * wrote. Consoles and loggers print the `stack`, in which the message is cut after 8,192 characters
 * and control characters are escaped. Local errors (a timeout, a lost connection) are
 * {@link LocalError}s.
 *
 * @source S-087, S-088, R-119
 */
export class RpcError extends Error {
  static {
    brandErrors(this.prototype, "RpcError", remoteError);
  }

  /** The code. Applications choose theirs outside `-32768` to `-32000`. @source R-117 */
  readonly code: number;
  /** Anything JSON can carry, `undefined` if absent. */
  readonly data: unknown;

  /**
   * An error response.
   *
   * @param code - An integer.
   * @param message - One short sentence. It is sent to the remote peer.
   * @param options - `data` is also sent to the remote peer; `cause` stays local.
   */
  constructor(code: number, message: string, options?: { data?: unknown; cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.data = options?.data;
  }
}

/** The meaning of each {@link LocalErrorCode}. */
export const localErrors = {
  CONNECTION_CLOSED: "the connection ended, or had ended before",
  TIMEOUT: "the call got no response in time",
  LIMIT_EXCEEDED: "a configured limit was reached",
  NOT_SERIALIZABLE: "a value that JSON cannot carry",
  INVALID_STATE: "the operation is not allowed in the current state",
} as const;

/** The codes of {@link LocalError}. */
export type LocalErrorCode = keyof typeof localErrors;

/** An error that was raised locally and not received. Recognize it by `code`. */
export class LocalError extends Error {
  static {
    brandErrors(this.prototype, "LocalError", localBrand);
  }

  readonly code: LocalErrorCode;
  /** The limit that refused a received message, for `LIMIT_EXCEEDED`. The call was delivered. */
  readonly received: ExceededLimit | undefined;

  /** A failure with its code. @param options - `cause` is kept. */
  constructor(
    code: LocalErrorCode,
    message: string,
    options?: { cause?: unknown; received?: ExceededLimit | undefined },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.received = options?.received;
  }
}

/**
 * Returns whether `value` is an {@link RpcError}, including one created by another copy of this
 * package.
 */
export function isRpcError(value: unknown): value is RpcError {
  return isBranded(value, remoteError);
}

/** True for any copy of {@link LocalError}, optionally with this code. */
export function isLocalError(value: unknown, code?: LocalErrorCode): value is LocalError {
  return isBranded(value, localBrand, code);
}

/**
 * Makes the error of a connection that ended. Every pending call rejects with it.
 *
 * @param message - Default: `The connection is closed`, with the message of the cause.
 * @param options - `cause`: why it ended.
 */
export function connectionClosed(message?: string, { cause }: { readonly cause?: unknown } = {}): LocalError {
  const why = cause instanceof Error ? `: ${quotedMessage(cause)}` : ".";
  return new LocalError("CONNECTION_CLOSED", message ?? `The connection is closed${why}`, { cause });
}

/**
 * Returns the error of a write whose message cannot be delivered although the connection works,
 * because the stream of the message has no reader. Callers get `CONNECTION_CLOSED`; `Peer` does not
 * treat the connection as lost.
 *
 * @param message - The reason, and how the receiver can get such messages.
 */
export function undeliverable(message: string): LocalError {
  return Object.defineProperty(new LocalError("CONNECTION_CLOSED", message), undeliverableBrand, {
    value: true,
  });
}

/** Whether `value` is an error that {@link undeliverable} made, in any copy of this package. */
export function isUndeliverable(value: unknown): value is LocalError {
  return isBranded(value, undeliverableBrand);
}

/**
 * Converts an error to an error response: {@link RpcError} unchanged, any other error as `-32603`
 * with a generic message, so that no details leak.
 */
export function toErrorObject(error: unknown): ErrorObject {
  if (!isRpcError(error)) {
    return { code: ErrorCode.InternalError, message: "Internal error" };
  }
  const { message, data } = error;
  const code = Number.isSafeInteger(error.code) ? error.code : ErrorCode.InternalError;
  const object = data === undefined ? { code, message } : { code, message, data };
  const { [transportHint]: hint } = error as { readonly [transportHint]?: unknown };
  return hint === undefined ? object : { ...object, [transportHint]: hint };
}

/**
 * Returns the {@link RpcError} for the `error` of a received response: its message as received, and
 * a stack that can be printed.
 */
export function fromErrorObject({ code, message, data }: ErrorObject): RpcError {
  const shown = printable(message);
  const error = new RpcError(code, shown, data === undefined ? undefined : { data });
  // The stack is made when it is first read, and contains the message of that moment.
  if (shown !== message && error.stack !== undefined) {
    error.message = message;
  }
  return error;
}

/**
 * Creates the error of a call whose response exceeds a limit of the decoder. It names the limit,
 * its value and the option. The remote peer has not failed.
 */
export function responseOverLimit({ name, maximum }: ExceededLimit, cause?: unknown): LocalError {
  const message = `The response exceeds the limit of ${maximum} (${name}). Increase limits.${name}, or request less at a time.`;
  return new LocalError("LIMIT_EXCEEDED", message, { cause, received: { name, maximum } });
}
