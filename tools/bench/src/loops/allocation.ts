import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Metrics } from "../runner.ts";
import { median } from "../stats.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** How {@link allocationLoop} measures. */
export interface AllocationOptions {
  /** Most calls between two collections; default 256. */
  readonly calls?: number | undefined;
  /** Stretches measured for a sample; default 5. */
  readonly stretches?: number | undefined;
}

/**
 * A sampler for the heap bytes that a call allocates, garbage included: `bytes`. The heap is
 * collected, some calls are made, and the growth is read. When a collection fell into the stretch
 * the growth is too small, so the number of calls is halved until three neighbouring sizes agree.
 *
 * @param call - makes one call
 */
export function allocationLoop(
  call: (index: number) => unknown,
  options: AllocationOptions = {},
): () => Promise<Metrics> {
  const { calls = 256, stretches = 5 } = options;
  const stretch = async (times: number): Promise<number> => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < times; index++) {
      const result = call(index);
      if (result instanceof Promise) {
        await result;
      }
    }
    return (process.memoryUsage().heapUsed - before) / times;
  };
  let times = calls;
  return async () => {
    for (;;) {
      const found: number[] = [];
      for (let index = 0; index < stretches; index++) {
        found.push(await stretch(times));
      }
      const bytes = median(found);
      const fewer = times > 8 ? [await stretch(times >> 1), await stretch(times >> 2)] : [];
      // Two, because a collection that falls into both stretches may leave similar sizes.
      if (fewer.every((size) => bytes > 0 && size < bytes * 1.5)) {
        return { bytes: Math.max(0, bytes) };
      }
      times >>= 1;
    }
  };
}

/**
 * A sampler for the heap bytes of a call that is expected to allocate nothing: `bytes`, over so
 * many calls that reading the heap does not count. A call may allocate up to 500 bytes, so that no
 * collection falls into the sample.
 *
 * @param call - makes one call
 */
export function noAllocationLoop(call: () => unknown, calls = 20_000): () => Metrics {
  return () => {
    for (let index = 0; index < calls; index++) {
      call();
    }
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < calls; index++) {
      call();
    }
    return { bytes: Math.max(0, (process.memoryUsage().heapUsed - before) / calls) };
  };
}
