import { inTime, systemClock, type Clock } from "@tenon/base";

import { isStoreError, StoreError } from "./error.ts";

/** Runs the calls of a store to its database until it is closed. For authors of stores. */
export interface StoreCalls {
  /**
   * Runs a call. Rejects with `CLOSED` after `close`, and with `STORE_FAILED` if the call does not
   * settle in time or rejects with anything but a `StoreError` or a `TypeError`. A call that has
   * timed out may still have an effect.
   */
  run<T>(call: () => T | Promise<T>): Promise<T>;
  /** Makes further calls reject with `CLOSED`. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates {@link StoreCalls}.
 *
 * @param subject - The store, as the beginning of a sentence.
 * @param timeoutMs - Maximum time of a call, in milliseconds.
 * @param clock - Measures the time. Default: the clock of the platform.
 */
export function createStoreCalls(
  subject: string,
  timeoutMs: number = Infinity,
  clock: Clock = systemClock,
): StoreCalls {
  let isClosed = false;

  const expired = (): never => {
    throw new StoreError("STORE_FAILED", `${subject} did not respond within ${timeoutMs} ms (timeoutMs).`);
  };

  return {
    async run(call) {
      if (isClosed) {
        throw new StoreError("CLOSED", `${subject} is closed.`);
      }
      try {
        const result = call();
        return result instanceof Promise && timeoutMs !== Infinity
          ? await inTime(result, timeoutMs, { expired, clock })
          : await result;
      } catch (error) {
        if (isStoreError(error) || error instanceof TypeError || error instanceof RangeError) {
          throw error;
        }
        // Timeouts of redis and refused connections of Node have no message.
        const reason = error instanceof Error ? error.message || error.constructor.name : String(error);
        throw new StoreError("STORE_FAILED", `${subject} failed: ${reason}`, { cause: error });
      }
    },
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
