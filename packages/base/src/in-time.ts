import { systemClock, type Clock } from "./clock.ts";

/** Options of {@link inTime}. */
export interface InTimeOptions<T> {
  /** Called on timeout. The wait resolves with its return value, or rejects with its error. */
  readonly expired: () => T;
  /** Sets the timer. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
  /** Whether the wait keeps the process alive, as in {@link Clock.setTimeout}. Default: `true`. */
  readonly keepsAlive?: boolean | undefined;
}

/**
 * Waits for a promise, but not longer than `ms` milliseconds. The promise itself continues; its
 * later result or error is ignored.
 *
 * @throws The error that the promise rejects with, or that `expired` throws.
 */
export function inTime<T>(
  promise: Promise<T>,
  ms: number,
  { expired, clock = systemClock, keepsAlive = true }: InTimeOptions<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      try {
        resolve(expired());
      } catch (error) {
        reject(error);
      }
    };
    const timer = clock.setTimeout(giveUp, ms, keepsAlive);
    // Not `finally`, which makes two more promises for each call.
    promise.then(
      (value) => {
        clock.clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clock.clearTimeout(timer);
        reject(error);
      },
    );
  });
}
