import { backoff, reasonOf, sleep } from "@tenon/base";
import { createVirtualClock } from "@tenon/base/testing";
import { expect, test } from "vitest";

const options = { initialDelayMs: 100, maxDelayMs: 1000 };

test("a delay doubles with each failure up to its maximum, and its second half is random", () => {
  const delays = (random: number): number[] =>
    [0, 1, 2, 3, 4, 5].map((failures) => backoff(failures, { ...options, random: () => random }));
  expect(delays(1)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(delays(0)).toEqual([50, 100, 200, 400, 500, 500]);
});

test("a delay grows by the factor that is given", () => {
  expect(backoff(2, { ...options, growth: 3, random: () => 1 })).toBe(900);
});

test("a sleep ends after its time on the clock that is given", async () => {
  const clock = createVirtualClock();
  const { signal } = new AbortController();
  let awake = false;
  const slept = sleep(100, { clock, signal, keepsAlive: true }).then(() => (awake = true));
  clock.advance(99);
  expect(awake).toBe(false);
  clock.advance(1);
  await slept;
  expect(awake).toBe(true);
});

test("a sleep rejects at once with the reason of its signal, and leaves no timer", async () => {
  const clock = createVirtualClock();
  const controller = new AbortController();
  const slept = sleep(100, { clock, signal: controller.signal, keepsAlive: true });
  controller.abort("enough");
  await expect(slept).rejects.toBe("enough");
  await expect(sleep(100, { clock, signal: controller.signal, keepsAlive: true })).rejects.toBe("enough");
  expect(clock.timers).toBe(0);
});

test("the reason of a failure names its causes, and each message once", () => {
  const inner = new Error("no route");
  const middle = new Error("fetch failed: no route", { cause: inner });
  expect(reasonOf(new Error("lost", { cause: middle }))).toBe("lost fetch failed: no route");
  expect(reasonOf("odd")).toBe("odd");
  const circular = new Error("round");
  circular.cause = circular;
  expect(reasonOf(circular)).toBe("round");
});
