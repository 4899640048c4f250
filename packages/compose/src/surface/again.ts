import { backoff, sleep } from "@tenon/base";

/** A watch that ran as long is not one more failure in a row. */
const steadyMs = 30_000;

/**
 * Yields the updates of a resource, and begins its watch again when it ends or fails, until the
 * signal aborts.
 *
 * @param onError - Called with the first of several failures in a row.
 */
export async function* again(
  watch: () => AsyncIterable<{ readonly uri: string }>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): AsyncGenerator<{ readonly uri: string }> {
  for (let failures = 0; !signal.aborted; failures++) {
    const began = performance.now();
    let failure: unknown = new Error("The server ended the watch of a resource. The watch is begun again.");
    try {
      for await (const update of watch()) {
        failures = 0;
        yield update;
      }
    } catch (error) {
      failure = error;
    }
    failures = performance.now() - began > steadyMs ? 0 : failures;
    if (failures === 0 && !signal.aborted) {
      onError(failure);
    }
    const delayMs = backoff(failures, { initialDelayMs: 500, maxDelayMs: 30_000 });
    await sleep(delayMs, { signal, keepsAlive: false }).catch(() => {});
  }
}
