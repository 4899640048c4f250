import { systemClock } from "@tenon/jsonrpc2";

/** Waits for a promise, but no longer than `ms`. False if the time was over first. Rejects if the promise does. */
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
