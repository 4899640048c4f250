import { Server } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { load } from "../src/load.ts";
import { createHistogram } from "../src/load/histogram.ts";
import { pair } from "../src/pair.ts";

describe("a closed loop", () => {
  it("keeps as many calls in flight as it is asked to, and counts each one", async () => {
    const server = new Server({ name: "counter", version: "1.0.0" });
    let [inFlight, most] = [0, 0];
    server.addTool({ name: "count" }, async () => {
      most = Math.max(most, ++inFlight);
      await new Promise(setImmediate);
      inFlight--;
      return "";
    });
    await using connected = await pair(server);
    const report = await load(() => connected.session.callTool({ name: "count" }), {
      calls: 50,
      concurrency: 8,
    });
    expect(report).toMatchObject({ calls: 50, failed: 0, skipped: 0, exceeded: [] });
    expect(most).toBe(8);
    expect(report.latency.p50).toBeGreaterThan(0);
    expect(report.latency.p50).toBeLessThanOrEqual(report.latency.max);
    expect(report.callsPerSecond).toBeGreaterThan(0);
  });

  it("counts failures, keeps the first message, and leaves their times out", async () => {
    const report = await load((index) => Promise.reject(new Error(`call ${index}`)), { calls: 3 });
    expect(report).toMatchObject({ calls: 3, failed: 3, firstError: "call 0", latency: { max: 0 } });
  });

  it("makes calls to warm up, and reports none of them", async () => {
    const seen: number[] = [];
    const call = (index: number): Promise<void> => {
      seen.push(index);
      return seen.length <= 2 ? Promise.reject(new Error("cold")) : Promise.resolve();
    };
    const report = await load(call, { calls: 3, warmUp: 2 });
    expect(seen).toEqual([0, 1, 0, 1, 2]);
    expect(report).toMatchObject({ calls: 3, failed: 0 });
    expect(report.firstError).toBeUndefined();
    expect(report.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    await expect(load(call, { warmUp: -1 })).rejects.toThrow("a number of calls for warmUp");
  });

  it.each([{ concurrency: 2 }, { rps: 10_000 }])(
    "ends with its signal, although calls hang (%j)",
    async (loop) => {
      const controller = new AbortController();
      const call = async (index: number): Promise<void> => {
        if (index === 3) {
          controller.abort();
        }
        if (index > 1) {
          await new Promise(() => {});
        }
      };
      expect(await load(call, { calls: 100, signal: controller.signal, ...loop })).toMatchObject({
        calls: 2,
      });
    },
  );

  it("refuses parts of calls, and limits that it does not measure", async () => {
    const call = (): Promise<void> => Promise.resolve();
    await expect(load(call, { concurrency: 0.5 })).rejects.toThrow(
      "Expected a whole number for concurrency; got 0.5.",
    );
    await expect(load(call, { budget: { p95: 50 } as object })).rejects.toThrow("p95");
  });

  it("ends early with its signal", async () => {
    const controller = new AbortController();
    const call = (index: number): Promise<void> =>
      Promise.resolve(index === 4 ? controller.abort() : undefined);
    expect(await load(call, { calls: 100, signal: controller.signal })).toMatchObject({ calls: 5 });
  });
});

describe("an open loop", () => {
  it("starts calls while earlier ones are pending, and gives up those beyond the limit", async () => {
    const { promise, resolve } = deferred();
    let started = 0;
    const running = load(
      () => {
        started++;
        return promise;
      },
      { rps: 100_000, calls: 20, maxInFlight: 7 },
    );
    await expect.poll(() => started).toBe(7);
    resolve();
    const { calls, skipped } = await running;
    expect(calls + skipped).toBe(20);
    expect(skipped).toBeGreaterThan(0);
  });
});

it("names each limit of the budget that does not hold", async () => {
  const report = await load(() => Promise.resolve(), { calls: 5, budget: { p50: 1e9, max: -1 } });
  expect(report.exceeded).toEqual([expect.stringMatching(/^max: [\d.]+ ms, at most -1$/)]);
});

it.each([
  [{ rps: 1, concurrency: 1 }, "got both"],
  [{ rps: 0 }, "positive number for rps; got 0"],
])("refuses %j", async (options, message) => {
  await expect(load(() => Promise.resolve(), options)).rejects.toThrow(message);
});

it("refuses an option that does not exist", async () => {
  // @ts-expect-error -- the misuse under test
  await expect(load(() => Promise.resolve(), { callz: 1 })).rejects.toThrow("callz");
});

it("has percentiles that are right to one percent", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.002, max: 1e6, noNaN: true }), { minLength: 1 }), (times) => {
      const histogram = createHistogram();
      times.forEach((time) => histogram.add(time));
      const sorted = times.toSorted((left, right) => left - right);
      const { p50, p99, max } = histogram.summary();
      for (const [share, found] of [
        [0.5, p50],
        [0.99, p99],
        [1, max],
      ] as const) {
        const exact = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
        expect(found).toBeGreaterThanOrEqual(exact * 0.999 - 0.001);
        expect(found).toBeLessThanOrEqual(exact * 1.011 + 0.001);
      }
    }),
  );
});

it("distributes times over ranges that grow, and counts each of them once", () => {
  const histogram = createHistogram();
  for (const ms of [1, 2, 4, 4, 400]) {
    histogram.add(ms);
  }
  const ranges = histogram.distribution(10);
  expect(ranges.length).toBeLessThanOrEqual(10);
  expect(ranges.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(5);
  expect(ranges[0]?.count).toBeGreaterThan(0);
  expect(ranges.at(-1)).toEqual({ upTo: 400, count: 1 });
  expect(createHistogram().distribution(10)).toEqual([]);
});
