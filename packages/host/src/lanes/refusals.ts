import { quotedMessage } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";

/** The refusal of a call that was not sent to the server. */
export function notSent(message: string, cause?: unknown): RpcError {
  return new RpcError(ErrorCode.InternalError, message, { data: { delivered: "no" }, cause });
}

/**
 * The error of a call whose result will never arrive. Its server may have acted on it, so it must
 * not be repeated automatically.
 */
export function callLost(why: string, cause?: unknown): RpcError {
  return new RpcError(
    ErrorCode.InternalError,
    `${why} The call may have had effects: check that before you send it again.`,
    { data: { reason: "call-lost", delivered: "maybe" }, cause },
  );
}

/** The refusal of an input request that belongs to no call. It is sent to the server. */
export function noCaller(method: string): RpcError {
  return new RpcError(
    ErrorCode.InternalError,
    `Cannot forward ${method}: no running call of this connection caused it.`,
  );
}

/** The error for the caller: the unchanged error of the server, or a lost call. */
export function failureOfCall(error: unknown): unknown {
  return isRpcError(error) || !(error instanceof Error)
    ? error
    : callLost(`The result did not arrive: ${quotedMessage(error)}`, error);
}

/** The report of log messages that are dropped. */
export function unknownLogs(name = "a server"): Error {
  return new Error(
    `Log messages of ${name} are dropped: they name no call, and several clients use the connection. Give each client a connection of its own, or connect to the server over HTTP.`,
  );
}
