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
  let timer: unknown;
  const over = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      const message = `${request.method} took longer than ${timeoutMs} ms (${limit}).`;
      controller.abort(new LocalError("TIMEOUT", message));
      onError(controller.signal.reason);
      reject(new RpcError(ErrorCode.InternalError, "The request took too long"));
    };
    // The connection of the client keeps the process alive.
    timer = clock.setTimeout(giveUp, timeoutMs, false);
  });
  try {
    return await Promise.race([handle(), over]);
  } finally {
    clock.clearTimeout(timer);
  }
}
