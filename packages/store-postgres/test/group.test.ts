import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { createGroup, type Group, type GroupSetup } from "../src/group.ts";

const limits = { timeoutMs: 1000, maxWaiting: 10_000, maxWaitingLength: Infinity };

/** A group of texts whose results are in upper case, and its batches. */
function textGroup(setup: Partial<GroupSetup<string, string>> = {}): {
  readonly group: Group<string, string>;
  readonly batches: (readonly string[])[];
} {
  const batches: (readonly string[])[] = [];
  const group = createGroup<string, string>({
    subject: "Texts",
    limits,
    lengthOf: (text) => text.length,
    async run(batch) {
      batches.push(batch);
      await Promise.resolve();
      return batch.map((text) => text.toUpperCase());
    },
    ...setup,
  });
  return { group, batches };
}

const resultsOf = async (calls: readonly Promise<string>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === "fulfilled" ? result.value : (result.reason as { code?: unknown }).code,
  );

test("calls that are made at the same time are one batch, and each gets its own result", async () => {
  const { group, batches } = textGroup();
  expect(await Promise.all(["a", "b", "c"].map((text) => group.add(text)))).toEqual(["A", "B", "C"]);
  expect(batches).toEqual([["a", "b", "c"]]);
});

test("calls that are made while a batch is under way are the next batch", async () => {
  const batches: (readonly string[])[] = [];
  const [begun, gate] = [deferred(), deferred()];
  const { group } = textGroup({
    async run(batch) {
      batches.push(batch);
      begun.resolve();
      await gate.promise;
      return batch;
    },
  });
  const first = group.add("a");
  await begun.promise;
  const others = ["b", "c"].map((text) => group.add(text));
  gate.resolve();
  await Promise.all([first, ...others]);
  expect(batches).toEqual([["a"], ["b", "c"]]);
});

test("a batch has at most 512 calls", async () => {
  const { group, batches } = textGroup();
  await Promise.all(Array.from({ length: 600 }, (_, index) => group.add(String(index))));
  expect(batches.map(({ length }) => length)).toEqual([512, 88]);
});

test("a batch has at most four million characters, or one call", async () => {
  const { group, batches } = textGroup();
  await Promise.all([5, 3, 2, 1].map((millions) => group.add("x".repeat(millions * 1_000_000))));
  expect(batches.map((batch) => batch.map(({ length }) => length / 1_000_000))).toEqual([[5], [3], [2, 1]]);
});

test("a call that may not be in a batch with earlier calls is in the next one", async () => {
  const { group, batches } = textGroup({
    admits() {
      const seen = new Set<string>();
      return (text) => !seen.has(text) && seen.add(text).size > 0;
    },
  });
  await Promise.all(["a", "a", "b", "a"].map((text) => group.add(text)));
  expect(batches).toEqual([["a", "b"], ["a"], ["a"]]);
});

test("a call is refused while too many calls, or too long calls, wait", async () => {
  const many = textGroup({ limits: { ...limits, maxWaiting: 2 } }).group;
  const calls = ["a", "b", "c"].map((text) => many.add(text));
  expect(await resultsOf(calls)).toEqual(["A", "B", "STORE_FULL"]);
  expect(await many.add("d")).toBe("D");
  const long = textGroup({ limits: { ...limits, maxWaitingLength: 4 } }).group;
  expect(await resultsOf(["abcde", "f"].map((text) => long.add(text)))).toEqual(["ABCDE", "STORE_FULL"]);
  expect(await resultsOf(["abc", "d", "e"].map((text) => long.add(text)))).toEqual([
    "ABC",
    "D",
    "STORE_FULL",
  ]);
});

test("a batch that the server has undone is repeated in parts, and only the cause fails", async () => {
  const { group } = textGroup({
    run(batch) {
      if (batch.includes("bad")) {
        return Promise.reject(Object.assign(new Error("too long"), { code: "54000" }));
      }
      return Promise.resolve(batch);
    },
  });
  const calls = ["a", "b", "bad", "c", "d"].map((text) => group.add(text));
  expect(await resultsOf(calls)).toEqual(["a", "b", "54000", "c", "d"]);
});

test("a batch that may have had an effect is not repeated", async () => {
  for (const code of [undefined, "ECONNRESET", "40003", "57P01"]) {
    let runs = 0;
    const { group } = textGroup({
      run() {
        runs++;
        return Promise.reject(Object.assign(new Error("connection lost"), { code }));
      },
    });
    expect(await resultsOf(["a", "b"].map((text) => group.add(text)))).toEqual([code, code]);
    expect(runs).toBe(1);
  }
});

test("a batch that never ends stops later calls only until its time is over, and late calls are not run", async () => {
  const clock = createVirtualClock();
  const batches: (readonly string[])[] = [];
  const begun = deferred();
  const { group } = textGroup({
    clock,
    run(batch) {
      batches.push(batch);
      begun.resolve();
      return batch.includes("stuck") ? new Promise(() => undefined) : Promise.resolve(batch);
    },
  });
  void group.add("stuck");
  await begun.promise;
  const early = group.add("early");
  clock.advance(500);
  const later = group.add("later");
  clock.advance(500);
  expect(await resultsOf([early, later])).toEqual(["STORE_FAILED", "later"]);
  expect(batches).toEqual([["stuck"], ["later"]]);
  expect(clock.timers).toBe(0);
});
