import { expect, test } from "vitest";

import { concurrentLoop, sequentialLoop } from "../src/loops/async.ts";
import { eachCall } from "../src/loops/each.ts";
import { syncLoop } from "../src/loops/sync.ts";
import { type Measurement, find, interleave, ratio } from "../src/runner.ts";

const measurement = (samples: readonly number[]): Measurement => ({
  candidate: "c",
  work: "w",
  metric: "ns",
  samples,
  median: 0,
  min: 0,
});

test("candidates are sampled in turns, the direction changes, and the warm-up does not count", async () => {
  const order: string[] = [];
  const subject = (candidate: string, values: number[]) => ({
    candidate,
    work: "w",
    sample: () => {
      order.push(candidate);
      return { ns: values.shift() ?? 0 };
    },
  });
  const found = await interleave([subject("a", [100, 3, 1, 2]), subject("b", [100, 6, 5, 4])], {
    rounds: 3,
    warmups: 1,
  });
  expect(order.join("")).toBe("baabbaab");
  expect(find(found, { candidate: "a", work: "w", metric: "ns" })).toMatchObject({
    samples: [3, 1, 2],
    median: 2,
    min: 1,
  });
  expect(find(found, { candidate: "b", work: "w", metric: "ns" })).toMatchObject({
    samples: [6, 5, 4],
    median: 5,
    min: 4,
  });
  expect(find(found, { candidate: "b", work: "other", metric: "ns" })).toBeUndefined();
});

test("a ratio compares samples of the same round, so that a slow machine does not change it", () => {
  expect(ratio(measurement([2, 20, 2]), measurement([1, 10, 1]))).toBe(2);
});

test("a wrong answer ends the run", async () => {
  const sample = syncLoop((times) => times - 1, { windowMs: 1 });
  await expect(interleave([{ candidate: "a", work: "w", sample }])).rejects.toThrow(
    /Expected 1 right answers, got 0/,
  );
});

test("the loops make the calls they say and report their metrics", async () => {
  let calls = 0;
  expect(syncLoop((times) => ((calls += times), times), { windowMs: 1 })()["ns"]).toBeGreaterThan(0);
  expect(calls).toBeGreaterThan(0);

  const seen: number[] = [];
  let under = 0;
  let most = 0;
  const call = async (index: number): Promise<void> => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    seen.push(index);
    under--;
  };
  expect(Object.keys(await sequentialLoop(call, { calls: 10 })()).toSorted()).toEqual([
    "calls",
    "cpuNs",
    "ns",
    "p99Ns",
  ]);
  expect([seen.length, most]).toEqual([10, 1]);
  const metrics = await concurrentLoop(call, { calls: 100, concurrency: 8 })();
  expect(Object.keys(metrics).toSorted()).toEqual(["calls", "callsPerSecond", "cpuNs", "ns"]);
  expect([seen.length, most]).toEqual([110, 8]);

  const inputs: number[] = [];
  let next = 0;
  await eachCall(
    () => ++next,
    (input) => inputs.push(input),
    { windowMs: 1 },
  )();
  expect(inputs).toEqual(Array.from({ length: next }, (_, index) => index + 1));
});
