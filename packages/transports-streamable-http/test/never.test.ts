import { sleep, systemClock } from "@tenon/base";
import { expect, test } from "vitest";

import { retryDelay } from "../src/client/retry-delay.ts";
import { Rhythm, StreamWatch } from "../src/client/silence.ts";
import { Heartbeat } from "../src/server/heartbeat.ts";

/**
 * Lets every timer of a millisecond, which is what platforms make of `Infinity`, go off that was
 * set before.
 */
function timersOfAMillisecond(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}

test("a heartbeat of Infinity never beats", async () => {
  let beats = 0;
  const member = { place: -1, beat: () => void beats++ };
  const heartbeat = new Heartbeat(Infinity, () => {});
  heartbeat.add(member);
  await timersOfAMillisecond();
  heartbeat.delete(member);
  expect(beats).toBe(0);
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

test("a silence of Infinity is never too long", async () => {
  const watch = new StreamWatch(nothing(), new Rhythm(Infinity), systemClock);
  watch.heard();
  await timersOfAMillisecond();
  watch.stop();
  expect(watch.failure).toBeUndefined();
});

test("a delay of Infinity before the next attempt is not over at once", async () => {
  const controller = new AbortController();
  const options = { initialDelayMs: Infinity, maxDelayMs: Infinity };
  const slept = sleep(retryDelay(0, options), { signal: controller.signal, keepsAlive: true });
  await timersOfAMillisecond();
  controller.abort(new Error("awake"));
  await expect(slept).rejects.toThrow("awake");
});
