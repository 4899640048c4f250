import { isRecord, reasonOf } from "@tenon/base";
import { callerError } from "@tenon/host";
import { isRpcError, type RpcError } from "@tenon/jsonrpc2/core";

/** The receiver of the whole error of a request. */
export interface FailureReport {
  /** The name of the server, as the callers know it. */
  readonly name?: string | undefined;
  readonly onError: (error: unknown) => void;
}

/** The errors that were reported. A proxy passes on errors of the proxies in it. */
const reported = new WeakSet<RpcError>();

/**
 * The error for the caller of a request that failed. An error that the server sent is returned
 * unchanged. Of any other error the caller gets only which server failed and how, and the error is
 * reported.
 */
export function failureFor(error: unknown, { name, onError }: FailureReport): RpcError {
  const shown = callerError(error, name);
  if ((isOwn(shown) || !isRpcError(error)) && !reported.has(shown)) {
    reported.add(shown);
    onError(shown);
  }
  return shown;
}

/** An error for the operator: with the messages of its causes, which callers do not get. */
export function wholeError(error: unknown): unknown {
  if (!isOwn(error)) {
    return error;
  }
  const { message, cause } = error;
  const why = reasonOf(cause);
  return new Error(why.includes(message) ? why : `${message} ${why}`, { cause });
}

/** Whether an error was made for callers, in place of its cause. */
function isOwn(error: unknown): error is RpcError {
  return isRpcError(error) && error.cause !== undefined && isRecord(error.data) && "delivered" in error.data;
}
