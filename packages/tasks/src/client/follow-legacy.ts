import { anySignal, sleep } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";

import { isFinal } from "../store/record.ts";
import { callBack } from "./call-back.ts";
import { TaskCallError } from "./error.ts";
import type { FollowOptions } from "./follow.ts";
import { isLost, pauseAfter, untilAnswered } from "./lost.ts";
import { onChange } from "./notices.ts";
import { boundedPollMs, failureOf, type RemoteTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";
import { within } from "./within.ts";

/** How often a request for the result of a task is repeated that the server has refused. */
const maxRefusals = 2;
/** How often a request may be refused because the server still runs it for a lost connection. */
const maxRepeated = 3;

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
  return within(wire, id, options, async (signal, giveUp) => {
    const done = new AbortController();
    const watching =
      options.onTask === undefined
        ? undefined
        : report(wire, id, options.onTask, { signal, ended: done.signal, first });
    try {
      return await checkedResult(await resultOf(wire, id, signal, giveUp), wire, id, signal);
    } finally {
      done.abort();
      await watching;
    }
  });
}

/** Requests the result of a task until there is a response. */
async function resultOf(
  wire: TaskWire,
  id: string,
  signal: AbortSignal,
  giveUp: () => void,
): Promise<object> {
  for (let failures = 0, refusals = 0, repeated = 0; ; failures++) {
    try {
      return await wire.session.request(
        "tasks/result",
        { taskId: id },
        { signal, timeoutMs: Infinity, totalTimeoutMs: Infinity },
      );
    } catch (error) {
      const isRepeated = isInUse(error) && ++repeated <= maxRepeated;
      if (signal.aborted || !(isLost(error) || isRepeated)) {
        await requireRunning(error, wire, id, signal);
        if (++refusals > maxRefusals) {
          // The client responded to an input request with an error, each time.
          giveUp();
          throw error;
        }
      }
      await pauseAfter(failures, wire, signal);
    }
  }
}

/** Whether a server may have refused a request that a transport has sent twice. */
function isInUse(error: unknown): boolean {
  return isRpcError(error) && error.code === ErrorCode.InvalidRequest;
}

/**
 * Completes the result of a task by its status. Some servers respond to `tasks/result` of a failed
 * task as if it had succeeded, and only the status shows the failure.
 *
 * @throws `RpcError` of a failed task without content; `TaskCallError` `TASK_CANCELLED`.
 */
async function checkedResult(
  result: object,
  wire: TaskWire,
  id: string,
  signal: AbortSignal,
): Promise<object> {
  const { isError, content } = result as { readonly isError?: unknown; readonly content?: unknown };
  if (isError === true) {
    return result;
  }
  let task: RemoteTask;
  try {
    task = await wire.get(id, { signal });
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    // The task may be unknown by now. Its result is all there is.
    return result;
  }
  if (task.status === "cancelled") {
    throw new TaskCallError("TASK_CANCELLED", `The task ${id} was cancelled.`);
  }
  if (task.status !== "failed") {
    return result;
  }
  if (Array.isArray(content) && content.length > 0) {
    return { ...result, isError: true };
  }
  throw new RpcError(ErrorCode.InternalError, failureOf(task));
}

/**
 * Decides about an error in response to `tasks/result`. While the task has not ended, it is not the
 * error of the task: the server may have lost the request, for example because its process ended.
 *
 * @throws The error of the task; `TaskCallError` `TASK_CANCELLED`, `TASK_LOST`.
 */
async function requireRunning(
  error: unknown,
  wire: TaskWire,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || !isRpcError(error)) {
    throw error;
  }
  const { status } = await untilAnswered(wire, signal, () => wire.get(id, { signal }));
  if (status === "cancelled") {
    throw new TaskCallError("TASK_CANCELLED", `The task ${id} was cancelled.`, { cause: error });
  }
  if (isFinal(status)) {
    throw error;
  }
}

/**
 * Calls `onTask` with each state, until the task has ended.
 *
 * @param signal - Ends everything.
 * @param ended - Aborts when the task has ended: its last state is still read.
 */
async function report(
  wire: TaskWire,
  id: string,
  onTask: NonNullable<FollowOptions["onTask"]>,
  { signal, ended, first }: { signal: AbortSignal; ended: AbortSignal; first: RemoteTask | undefined },
): Promise<void> {
  let seen = "";
  const { clock, onError } = wire.host;
  const read = (): Promise<RemoteTask> => wire.get(id, { signal });
  let wake = new AbortController();
  const forget = onChange(wire.session, id, () => wake.abort());
  try {
    for (let task = first ?? (await untilAnswered(wire, signal, read)); ;) {
      const state = JSON.stringify([task.status, task.statusMessage, task.lastUpdatedAt]);
      if (seen !== state) {
        seen = state;
        callBack(() => onTask(task), onError);
      }
      if (ended.aborted) {
        return;
      }
      const either = anySignal([signal, ended, wake.signal]);
      await sleep(boundedPollMs(task.pollIntervalMs), { signal: either, clock, keepsAlive: true }).catch(
        () => undefined,
      );
      wake = new AbortController();
      task = await (ended.aborted ? read() : untilAnswered(wire, signal, read));
    }
  } catch (error) {
    if (!signal.aborted) {
      onError(error);
    }
  } finally {
    forget();
  }
}
