import { systemClock } from "@tenon/base";

/** The properties that are read of the context of an invocation. */
export interface LambdaContext {
  /** The time until the runtime ends the invocation, in milliseconds. */
  getRemainingTimeInMillis(): number;
}

/** The time of an invocation. */
export interface Deadline extends Disposable {
  /** Aborts shortly before the runtime would end the invocation, and on `cancel`. */
  readonly signal: AbortSignal;
  /** Whether the time is up. */
  readonly isOver: boolean;
  /** The client has disconnected. */
  cancel(): void;
}

/**
 * Starts the time of an invocation.
 *
 * @param reserveMs - How long before its end the signal aborts, in milliseconds.
 */
export function deadlineOf(context: LambdaContext | undefined, reserveMs: number): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const left = context?.getRemainingTimeInMillis();
  const end = (): void => {
    isOver = true;
    controller.abort(new DOMException("Stopped before the end of the invocation.", "TimeoutError"));
  };
  const timer =
    left === undefined ? undefined : systemClock.setTimeout(end, Math.max(0, left - reserveMs), true);
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    cancel: () => controller.abort(new DOMException("Connection closed by the client.", "AbortError")),
    [Symbol.dispose]() {
      if (timer !== undefined) {
        systemClock.clearTimeout(timer);
      }
    },
  };
}
