import type { Clock } from "@tenon/base";
import { RpcError } from "@tenon/jsonrpc2/core";
import { transportHint } from "@tenon/jsonrpc2/transport";

/** As `tooManyRequests` of `@tenon/operations`: the HTTP status of the same meaning. */
const tooManyTasks = 429;

/** How long a client should wait for room, in milliseconds: tasks end at their own pace. */
const retryAfterMs = 30_000;

/** Minimum time between two reports that the store is full, in milliseconds. */
const reportIntervalMs = 60_000;

/**
 * The error of a call that requires a task, if the store has no room. Over HTTP it becomes 429 with
 * `Retry-After`.
 *
 * @param reason - Names the limit.
 */
export function noRoomForTask(reason: string): RpcError {
  const message = `Too many tasks; try again in ${retryAfterMs / 1000} s. ${reason}`;
  const error = new RpcError(tooManyTasks, message, { data: { retryAfterMs } });
  return Object.defineProperty(error, transportHint, { value: { retryAfterMs } });
}

/** Reports an error at most once a minute, because a client can cause it with every call. */
export function reportRarely(clock: Clock, onError: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = -Infinity;
  return (error) => {
    const now = clock.now();
    if (now - reportedAt >= reportIntervalMs) {
      reportedAt = now;
      onError(error);
    }
  };
}
