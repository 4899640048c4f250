import { inTime } from "@tenon/base";
import { ErrorCode, LocalError, RpcError } from "@tenon/jsonrpc2/core";

import type { LiveServerRequest } from "./request.ts";

/**
 * Handles a request within its time limit. After it the signal of the handler aborts.
 *
 * @param limit - The name of the limit, for the error.
 * @throws `RpcError` `-32603` when the limit is exceeded.
 */
export async function withinTime(
  request: LiveServerRequest,
  timeoutMs: number,
  limit: string,
  handle: () => unknown,
): Promise<unknown> {
  const { clock, onError } = request;
  const controller = new AbortController();
  request.limit(controller.signal);
  const expired = (): never => {
    const message = `${request.method} took longer than ${timeoutMs} ms (${limit}).`;
    controller.abort(new LocalError("TIMEOUT", message));
    onError(controller.signal.reason);
    throw new RpcError(ErrorCode.InternalError, "The request took too long");
  };
  // The connection of the client keeps the process alive.
  return inTime(Promise.resolve(handle()), timeoutMs, { expired, clock, keepsAlive: false });
}
