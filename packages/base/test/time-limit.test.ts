import { timeLimit } from "@tenon/base";
import { createVirtualClock } from "@tenon/base/testing";
import { expect, test } from "vitest";

test("a time limit aborts its signal when the time is over, unless the work has ended", () => {
  const clock = createVirtualClock();
  const [late, done, endless] = [100, 100, Infinity].map((ms) => timeLimit(ms, { clock }));
  done?.end();
  clock.advance(100);
  expect([late, done, endless].map((limit) => limit?.signal.aborted)).toEqual([true, false, false]);
  expect(late?.signal.reason).toMatchObject({ name: "TimeoutError" });
  expect(clock.timers).toBe(0);
});
