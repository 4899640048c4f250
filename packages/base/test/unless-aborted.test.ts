import { getEventListeners } from "node:events";

import { unlessAborted } from "@tenon/base";
import { expect, test } from "vitest";

test("a promise that settles first is what is waited for, and the signal is let go", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  await Promise.resolve();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a signal that fires first rejects with its reason, and a late rejection of the promise is nobody's", async () => {
  const controller = new AbortController();
  let fail: (error: Error) => void = () => {};
  const promise = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const waiting = unlessAborted(promise, controller.signal);
  controller.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  await expect(unlessAborted(promise, controller.signal)).rejects.toBe("enough");
  // Were it unhandled, vitest would fail the run.
  fail(new Error("late"));
});

test("without a signal it is the promise itself", () => {
  const promise = Promise.resolve(1);
  expect(unlessAborted(promise, undefined)).toBe(promise);
});
