import { systemClock } from "@tenon/base";

/**
 * Waits for a promise, at most for `ms`. Resolves with false if the time elapsed first. Rejects if
 * the promise does.
 */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: unknown;
  const timeout = new Promise<boolean>((resolve) => {
    timer = systemClock.setTimeout(() => resolve(false), ms, true);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    systemClock.clearTimeout(timer);
  }
}
