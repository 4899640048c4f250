import { connectionClosed, LocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import type { FollowOptions } from "./follow.ts";
import type { TaskWire } from "./wire.ts";

/** Maximum time for the cancellation after an aborted call, in milliseconds. */
const cancelTimeoutMs = 5000;

/** The signals that abort when a session ends, by session. */
const endings = new WeakMap<ClientSession, Set<AbortController>>();

/**
 * Follows a task with a signal that aborts when the caller aborts, after `totalTimeoutMs`, and when
 * the session ends. Cancels the task if the caller does not want its result any longer, or if its
 * input requests get no response.
 *
 * @param work - Calls `giveUp` if an input request gets no response.
 * @throws The rejection of `work`.
 */
export async function within<T>(
  { session, host, cancel }: TaskWire,
  id: string,
  { signal, totalTimeoutMs = Infinity, cancelOnAbort = true }: FollowOptions,
  work: (signal: AbortSignal, giveUp: () => void) => Promise<T>,
): Promise<T> {
  const { clock, onError } = host;
  const stop = new AbortController();
  const running = endingsOf(session);
  running.add(stop);
  const timer =
    totalTimeoutMs < Infinity
      ? clock.setTimeout(() => {
          const message = `The task had no result within ${totalTimeoutMs} ms (totalTimeoutMs).`;
          stop.abort(new LocalError("TIMEOUT", message));
        }, totalTimeoutMs)
      : undefined;
  const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  let isGivenUp = false;
  try {
    return await work(either, () => {
      isGivenUp = true;
    });
  } catch (error) {
    if ((either.aborted || isGivenUp) && cancelOnAbort && !session.isClosed) {
      cancel(id, { totalTimeoutMs: cancelTimeoutMs }).catch(onError);
    }
    throw error;
  } finally {
    running.delete(stop);
    clock.clearTimeout(timer);
    // Handlers that still provide input are no longer needed.
    stop.abort(new DOMException("The task has ended.", "AbortError"));
  }
}

function endingsOf(session: ClientSession): Set<AbortController> {
  const known = endings.get(session);
  if (known !== undefined) {
    return known;
  }
  const running = new Set<AbortController>();
  endings.set(session, running);
  void session.closed.then(({ error }) => {
    running.forEach((stop) => {
      stop.abort(connectionClosed("The session ended before its task did.", { cause: error }));
    });
  });
  return running;
}
