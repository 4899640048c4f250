import type { Metrics } from "../runner.ts";
import { quantile } from "../stats.ts";

/** How {@link eachCall} measures. */
export interface EachCallOptions {
  /** Length of a sample in milliseconds; default 20. */
  readonly windowMs?: number | undefined;
  /** Fewest calls in a sample; default 3. */
  readonly atLeast?: number | undefined;
}

/**
 * A sampler for work that needs fresh input for each call, such as compiling: `ns` per call, the
 * median of a sample. `prepare` is not timed. For work of a few microseconds at least, because each
 * call is timed on its own.
 */
export function eachCall<T>(
  prepare: () => T,
  run: (input: T) => unknown,
  options: EachCallOptions = {},
): () => Promise<Metrics> {
  const { windowMs = 20, atLeast = 3 } = options;
  return async () => {
    const times: number[] = [];
    const end = performance.now() + windowMs;
    do {
      const input = prepare();
      const start = performance.now();
      const result = run(input);
      // A synchronous candidate is not charged for a turn of the event loop.
      if (result instanceof Promise) {
        await result;
      }
      times.push((performance.now() - start) * 1e6);
    } while (performance.now() < end || times.length < atLeast);
    return { ns: quantile(times, 0.5) };
  };
}
