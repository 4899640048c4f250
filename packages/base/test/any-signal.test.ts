import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { anySignal } from "../src/index.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function collected(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    // A signal that was read in this turn is not collected.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    collect();
  }
}

/** Resolves with the reason of a combined signal that nothing but its listener holds. */
function reasonOf(combine: (timeout: AbortSignal) => AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    const either = combine(AbortSignal.timeout(20));
    either.addEventListener("abort", () => resolve(either.reason));
  });
}

test.each<[string, (timeout: AbortSignal, other: AbortSignal) => AbortSignal]>([
  ["combined once", (timeout, other) => anySignal([other, timeout])],
  ["combined twice", (timeout, other) => anySignal([other, anySignal([other, timeout])])],
])("a timeout that nothing else holds aborts the signal that it was %s into", async (_, combine) => {
  const { signal } = new AbortController();
  const reason = reasonOf((timeout) => combine(timeout, signal));
  await collected();
  expect(await reason).toMatchObject({ name: "TimeoutError" });
});

test("signals are collected although nobody removes the listener of the signal that they were combined into", async () => {
  const { signal: long } = new AbortController();
  const refs = Array.from({ length: 10 }, () => {
    const { signal } = new AbortController();
    anySignal([long, anySignal([long, signal])]).addEventListener("abort", () => {});
    return new WeakRef(signal);
  });
  await collected();
  expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  expect(getEventListeners(long, "abort")).toEqual([]);
});

test("a signal that its caller has combined with a long-lived signal is collected", async () => {
  const { signal: long } = new AbortController();
  const refs = Array.from({ length: 10 }, () => {
    const own = AbortSignal.any([long, new AbortController().signal]);
    anySignal([new AbortController().signal, own]).addEventListener("abort", () => {});
    return new WeakRef(own);
  });
  await collected();
  expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  expect(getEventListeners(long, "abort")).toEqual([]);
});

test("the first signal that aborts gives the reason, also if it has aborted before", () => {
  const controller = new AbortController();
  const either = anySignal([new AbortController().signal, controller.signal]);
  controller.abort("enough");
  expect(either.reason).toBe("enough");
  expect(anySignal([new AbortController().signal, controller.signal]).reason).toBe("enough");
});
