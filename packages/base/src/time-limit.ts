import { systemClock, type Clock } from "./clock.ts";

/** Options of {@link timeLimit}. */
export interface TimeLimitOptions {
  /** Sets the timer. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The time that work may take, as a signal. */
export interface TimeLimit {
  /** Aborts at the end of the time. Its reason is a `DOMException` with the name `TimeoutError`. */
  readonly signal: AbortSignal;
  /** Clears the timer: the work has ended. Idempotent. */
  end(): void;
}

/**
 * Limits the time of work. A caller waits for it, so the timer keeps the process alive until the
 * end. `AbortSignal.timeout` does not keep it alive, and throws for `Infinity`. Here `Infinity`
 * means that there is no limit.
 *
 * @param ms - In milliseconds.
 */
export function timeLimit(ms: number, { clock = systemClock }: TimeLimitOptions = {}): TimeLimit {
  const controller = new AbortController();
  const timer =
    ms === Infinity
      ? undefined
      : clock.setTimeout(
          () => controller.abort(new DOMException("The time limit was reached.", "TimeoutError")),
          ms,
          true,
        );
  return {
    signal: controller.signal,
    end: () => {
      clock.clearTimeout(timer);
    },
  };
}
