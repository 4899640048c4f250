import type { Metrics } from "../runner.ts";
import { quantile } from "../stats.ts";

const now = (): number => performance.now() * 1e6;

/** How {@link syncLoop} measures. */
export interface SyncLoopOptions {
  /** Length of a sample in milliseconds; default 15. */
  readonly windowMs?: number | undefined;
  /** Length of a batch in milliseconds, the time between two looks at the clock; default 0.2. */
  readonly batchMs?: number | undefined;
}

/**
 * A sampler for a synchronous function: `ns` per call. The window is cut into batches and the tenth
 * percentile of these is taken: what the work costs when nothing else runs on a shared machine. The
 * size of a batch is found in the first sample and kept.
 *
 * @param run - does the work `times` times and returns how many of the answers were right
 */
export function syncLoop(run: (times: number) => number, options: SyncLoopOptions = {}): () => Metrics {
  const { windowMs = 15, batchMs = 0.2 } = options;
  let size = 0;
  const batch = (times: number): number => {
    const start = now();
    const right = run(times);
    const elapsed = now() - start;
    if (right !== times) {
      throw new Error(`Expected ${times} right answers, got ${right}`);
    }
    return elapsed;
  };
  const calibrate = (): number => {
    let times = 1;
    while (batch(times) < (batchMs * 1e6) / 2 && times < 1 << 24) {
      times *= 2;
    }
    return times;
  };
  return () => {
    if (size === 0) {
      calibrate();
      size = calibrate();
    }
    const end = now() + windowMs * 1e6;
    const batches: number[] = [];
    do {
      batches.push(batch(size) / size);
    } while (now() < end);
    return { ns: quantile(batches, 0.1) };
  };
}
