import type { Clock } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

/** Maximum number of tasks whose last poll is remembered. */
const maxRemembered = 10_000;

/**
 * Makes a check of the time between two polls of a task.
 *
 * @param minPollMs - The least time, in milliseconds; `0` allows every poll.
 * @returns A function that is called with the ID of a polled task. It throws an `RpcError` `-32603`
 *   whose `data.retryAfterMs` is the rest of the time.
 */
export function pollLimit(minPollMs: number, clock: Clock): (id: string) => void {
  const polledAt = new Map<string, number>();
  return (id) => {
    if (minPollMs === 0) {
      return;
    }
    const now = clock.now();
    const retryAfterMs = Math.ceil((polledAt.get(id) ?? -Infinity) + minPollMs - now);
    if (retryAfterMs > 0) {
      const message = `A task must be polled every ${minPollMs} ms at most; wait ${retryAfterMs} ms`;
      throw new RpcError(ErrorCode.InternalError, message, { data: { retryAfterMs } });
    }
    polledAt.delete(id);
    polledAt.set(id, now);
    const [oldest] = polledAt.keys();
    if (polledAt.size > maxRemembered && oldest !== undefined) {
      polledAt.delete(oldest);
    }
  };
}
