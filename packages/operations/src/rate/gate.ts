import { systemClock } from "@tenon/base";
import {
  createMemoryRateLimits,
  createStoreCalls,
  takeFrom,
  type RateLimits,
  type RateRule,
} from "@tenon/stores";

/** Counts in a store, or in this process while the store fails. */
export interface Gate {
  /** Returns how long the request must wait, in milliseconds; 0 if it may be served. */
  wait(key: string, rule: RateRule): Promise<number>;
}

/** How long a store that has failed is left alone, in milliseconds. */
const pauseMs = 1_000;

/**
 * Creates the gate of a store. While the store fails, this process counts alone, so that the limits
 * hold for each process instead of all together.
 *
 * @param storeMs - Maximum time that one request waits for the store.
 * @param onError - Receives the error with which a failure of the store begins.
 */
export function createGate(rates: RateLimits, storeMs: number, onError: (error: unknown) => void): Gate {
  const calls = createStoreCalls("Rate limits object", storeMs);
  const local = createMemoryRateLimits();
  let pausedUntil = -Infinity;
  let isFailing = false;
  return {
    async wait(key, rule) {
      if (systemClock.now() >= pausedUntil) {
        try {
          const { allowed, retryAfterMs } = await calls.run(() => rates.take(key, rule));
          isFailing = false;
          return allowed ? 0 : Math.max(1, retryAfterMs);
        } catch (error) {
          pausedUntil = systemClock.now() + pauseMs;
          if (!isFailing) {
            isFailing = true;
            onError(error);
          }
        }
      }
      const { allowed, retryAfterMs } = await local.take(key, rule);
      return allowed ? 0 : Math.max(1, retryAfterMs);
    },
  };
}

/** @throws `RangeError` for a rule whose numbers are not positive. */
export function checkRule(rule: RateRule): void {
  takeFrom(0, rule, 1, 0);
}
