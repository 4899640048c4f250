import { inTime } from "@tenon/base";

/**
 * Waits for a promise, at most for `ms`. Resolves with false if the time elapsed first. Rejects if
 * the promise does.
 */
export function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return inTime(
    promise.then(() => true),
    ms,
    { expired: () => false },
  );
}
