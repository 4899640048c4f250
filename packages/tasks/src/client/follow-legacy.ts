import { isRpcError } from "@tenon/jsonrpc2/core";
import { sleep } from "@tenon/jsonrpc2/transport";

import { TaskCallError } from "./error.ts";
import type { FollowOptions } from "./follow.ts";
import { isLost, pauseAfter } from "./lost.ts";
import { onChange } from "./notices.ts";
import { boundedPollMs, type RemoteTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";
import { within } from "./within.ts";

/**
 * Waits for the result of a task of 2025-11-25. The server requests input on the stream of the
 * request for the result. The task is polled only if `onTask` is set, at once
 * when the server notifies about it.
 *
 * @throws As `follow`.
 * @source R-677
 */
export async function followLegacy(
  wire: TaskWire,
  id: string,
  options: FollowOptions,
  first?: RemoteTask,
): Promise<object> {
  const { session } = wire;
  return within(wire, id, options, async (signal, giveUp) => {
    const done = new AbortController();
    const watching = options.onTask === undefined ? undefined : report(wire, id, options, done.signal, first);
    const ask = (): Promise<object> =>
      session.request(
        "tasks/result",
        { taskId: id },
        { signal, timeoutMs: Infinity, totalTimeoutMs: Infinity },
      );
    try {
      for (let failures = 0; ; failures++) {
        try {
          return await ask();
        } catch (error) {
          if (signal.aborted || !isLost(error)) {
            throw isRpcError(error) ? await meaningOf(error, wire, id, giveUp) : error;
          }
          await pauseAfter(failures, wire, signal);
        }
      }
    } finally {
      done.abort();
      await watching;
    }
  });
}

/** Whether an error is the one of the task, or the task was cancelled or lost. */
async function meaningOf(error: unknown, wire: TaskWire, id: string, giveUp: () => void): Promise<unknown> {
  try {
    const { status } = await wire.get(id);
    if (status === "input_required") {
      // The client responded with an error, so that the server gave up the request for the result.
      giveUp();
    }
    return status === "cancelled"
      ? new TaskCallError("TASK_CANCELLED", `The task ${id} was cancelled.`, { cause: error })
      : error;
  } catch (lost) {
    return lost;
  }
}

/** Calls `onTask` with each state, until the signal aborts. */
async function report(
  wire: TaskWire,
  id: string,
  { onTask }: FollowOptions,
  signal: AbortSignal,
  first: RemoteTask | undefined,
): Promise<void> {
  let seen = "";
  const { clock, onError } = wire.host;
  let wake = new AbortController();
  const forget = onChange(wire.session, id, () => wake.abort());
  try {
    for (let task = first ?? (await wire.get(id)); ; task = await wire.get(id)) {
      const state = JSON.stringify([task.status, task.statusMessage, task.lastUpdatedAt]);
      if (seen !== state) {
        seen = state;
        onTask?.(task);
      }
      if (signal.aborted) {
        return;
      }
      const either = AbortSignal.any([signal, wake.signal]);
      await sleep(boundedPollMs(task.pollIntervalMs), { signal: either, clock }).catch(() => undefined);
      wake = new AbortController();
    }
  } catch (error) {
    onError(error);
  } finally {
    forget();
  }
}
