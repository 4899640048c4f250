import { backoff, sleep, unlessAborted, type Clock } from "@tenon/base";

import { isTransient } from "./refusals.ts";

/** How often a request about a task is sent again that got no response, and the delays. */
const maxRetries = 8;
const retryMs = { initialDelayMs: 200, maxDelayMs: 10_000 } as const;

/**
 * Sends a request about a task until it gets a response: such requests can be repeated without
 * harm, and the network must not end the task.
 *
 * @throws The response, if it is an error; the last error after 8 repetitions; `signal.reason`.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await unlessAborted(ask(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error) || failures === maxRetries) {
        throw error;
      }
    }
    await sleep(backoff(failures, retryMs), { signal, clock, keepsAlive: true });
  }
}
