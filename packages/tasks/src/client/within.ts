import { anySignal } from "@tenon/base";
import { connectionClosed, ErrorCode, isRpcError, LocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import { isTaskCallError } from "./error.ts";
import type { FollowOptions } from "./follow.ts";
import { untilAnswered } from "./lost.ts";
import type { TaskWire } from "./wire.ts";

/** Maximum time for the cancellation after an aborted call, in milliseconds. */
const cancelTimeoutMs = 5000;

/** A call that is or may become a task. */
interface Running {
  /** Aborts when its caller no longer wants the result. */
  readonly signal: AbortSignal;
  /** Aborted when the session ends. */
  readonly stop: AbortController;
  /** Resolves when the call has ended, and its task was cancelled if it must be. */
  readonly ended: Promise<void>;
}

/** The running calls of each session. */
const all = new WeakMap<ClientSession, Set<Running>>();

/**
 * Follows a task with a signal that aborts when the caller aborts, after `totalTimeoutMs`, and when
 * the session ends. Cancels the task if the caller does not want its result any longer, or if its
 * input requests get no response.
 *
 * @param work - Calls `giveUp` if an input request gets no response.
 * @throws The rejection of `work`.
 */
export async function within<T>(
  wire: TaskWire,
  id: string,
  { signal, totalTimeoutMs = Infinity, cancelOnAbort = true }: FollowOptions,
  work: (signal: AbortSignal, giveUp: () => void) => Promise<T>,
): Promise<T> {
  const { session, host } = wire;
  const { clock } = host;
  const stop = new AbortController();
  const expire = (): void => {
    const message = `The task had no result within ${totalTimeoutMs} ms (totalTimeoutMs).`;
    stop.abort(new LocalError("TIMEOUT", message));
  };
  const timer = totalTimeoutMs < Infinity ? clock.setTimeout(expire, totalTimeoutMs, true) : undefined;
  const either = signal === undefined ? stop.signal : anySignal([stop.signal, signal]);
  const end = track(session, either, stop);
  let isGivenUp = false;
  let cancelling: Promise<void> | undefined;
  try {
    return await work(either, () => {
      isGivenUp = true;
    });
  } catch (error) {
    if ((either.aborted || isGivenUp) && cancelOnAbort && !session.isClosed) {
      cancelling = cancelUnwanted(wire, id);
    }
    throw error;
  } finally {
    clock.clearTimeout(timer);
    end(cancelling);
    // Handlers that still provide input are no longer needed.
    stop.abort(new DOMException("The task has ended.", "AbortError"));
  }
}

/** Cancels a task whose result is not needed. Never rejects: failures are reported. */
export async function cancelUnwanted(wire: TaskWire, id: string): Promise<void> {
  const { session, host } = wire;
  const stop = new AbortController();
  const giveUp = (): void => {
    stop.abort(new LocalError("TIMEOUT", `The task ${id} could not be cancelled in ${cancelTimeoutMs} ms.`));
  };
  const timer = host.clock.setTimeout(giveUp, cancelTimeoutMs, true);
  try {
    await untilAnswered(wire, stop.signal, () => wire.cancel(id, { signal: stop.signal }));
  } catch (error) {
    const hasEnded =
      isTaskCallError(error, "TASK_LOST") || (isRpcError(error) && error.code === ErrorCode.InvalidParams);
    if (!hasEnded && !session.isClosed) {
      host.onError(error);
    }
  } finally {
    host.clock.clearTimeout(timer);
  }
}

/**
 * Notes a call that is or may become a task.
 *
 * @param signal - Aborts when the caller no longer wants the result.
 * @param stop - Is aborted when the session ends.
 * @returns What ends the call, with the cancellation that is still in flight.
 */
export function track(
  session: ClientSession,
  signal: AbortSignal,
  stop: AbortController = new AbortController(),
): (cancelling?: Promise<void>) => void {
  const running = runningOf(session);
  let settle: (value?: Promise<void>) => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const call: Running = { signal, stop, ended };
  running.add(call);
  void ended.then(() => running.delete(call));
  return settle;
}

/**
 * Waits until the tasks whose callers no longer want their results have been cancelled: a session
 * that closes before would leave them running.
 */
export async function unwantedCancelled(session: ClientSession): Promise<void> {
  const unwanted = [...(all.get(session) ?? [])].filter(({ signal }) => signal.aborted);
  await Promise.all(unwanted.map(({ ended }) => ended));
}

function runningOf(session: ClientSession): Set<Running> {
  const known = all.get(session);
  if (known !== undefined) {
    return known;
  }
  const running = new Set<Running>();
  all.set(session, running);
  void session.closed.then(({ error }) => {
    running.forEach(({ stop }) => {
      stop.abort(connectionClosed("The session ended before its task did.", { cause: error }));
    });
  });
  return running;
}
