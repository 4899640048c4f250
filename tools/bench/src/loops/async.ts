import type { Metrics } from "../runner.ts";
import { quantile } from "../stats.ts";
import { type ProcessUsage, ownUsage } from "../usage.ts";

/** How the asynchronous loops measure. */
export interface AsyncLoopOptions {
  /** Calls in a sample; default 1000. */
  readonly calls?: number | undefined;
  /** Calls under way at a time, for {@link concurrentLoop}; default 64. */
  readonly concurrency?: number | undefined;
  /** The CPU time of another process that does a part of the work, reported as `peerCpuNs`. */
  readonly peer?: (() => ProcessUsage) | undefined;
}

async function withCpu(
  calls: number,
  peer: (() => ProcessUsage) | undefined,
  run: () => Promise<Metrics>,
): Promise<Metrics> {
  const own = ownUsage();
  const other = peer?.();
  const metrics = await run();
  const cpuNs = (ownUsage().cpuNs - own.cpuNs) / calls;
  if (peer === undefined || other === undefined) {
    return { ...metrics, calls, cpuNs };
  }
  const after = peer();
  return {
    ...metrics,
    calls,
    cpuNs,
    peerCpuNs: (after.cpuNs - other.cpuNs) / calls,
    peerRssBytes: after.rssBytes,
  };
}

/**
 * A sampler that makes one call after the other: `ns` is the median time of a call, `p99Ns` the
 * 99th percentile, `cpuNs` the CPU time of this process per call.
 *
 * @param call - makes one call and throws when the answer is wrong
 */
export function sequentialLoop(
  call: (index: number) => Promise<void>,
  options: AsyncLoopOptions = {},
): () => Promise<Metrics> {
  const { calls = 1000, peer } = options;
  return () =>
    withCpu(calls, peer, async () => {
      const times: number[] = [];
      for (let index = 0; index < calls; index++) {
        const start = performance.now();
        await call(index);
        times.push((performance.now() - start) * 1e6);
      }
      return { ns: quantile(times, 0.5), p99Ns: quantile(times, 0.99) };
    });
}

/**
 * A sampler that keeps `concurrency` calls under way: `callsPerSecond`, `ns` of wall time per call,
 * and `cpuNs` of this process per call.
 *
 * @param call - makes one call and throws when the answer is wrong
 */
export function concurrentLoop(
  call: (index: number) => Promise<void>,
  options: AsyncLoopOptions = {},
): () => Promise<Metrics> {
  const { calls = 1000, concurrency = 64, peer } = options;
  return () =>
    withCpu(calls, peer, async () => {
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < calls) {
          await call(next++);
        }
      };
      const start = performance.now();
      await Promise.all(Array.from({ length: concurrency }, worker));
      const ns = ((performance.now() - start) * 1e6) / calls;
      return { ns, callsPerSecond: 1e9 / ns };
    });
}
