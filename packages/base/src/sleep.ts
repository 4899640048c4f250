import { systemClock, type Clock } from "./clock.ts";

/** Options of {@link sleep}. */
export interface SleepOptions {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Sets the timer. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
  /**
   * Whether the wait keeps the process alive. Pass `true` wherever a caller waits: otherwise a
   * process that has nothing else to do ends in the middle of an `await`, without an error.
   */
  readonly keepsAlive: boolean;
}

/**
 * Waits `ms` milliseconds.
 *
 * @throws `signal.reason` as soon as the signal aborts, or immediately if it has already aborted.
 */
export function sleep(ms: number, { signal, clock = systemClock, keepsAlive }: SleepOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const wake = (): void => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const timer = clock.setTimeout(wake, ms, keepsAlive);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
