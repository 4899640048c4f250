import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { expect, test } from "vitest";

import { createAuthLock } from "../src/index.ts";

test("a lock that others hold is tried for again after growing delays, of half a second at most", async () => {
  const clock = createVirtualClock();
  const tries: number[] = [];
  const lock = createAuthLock(
    {
      acquire: () => {
        tries.push(clock.now());
        return Promise.resolve(undefined);
      },
      renew: () => Promise.resolve(false),
      release: () => Promise.resolve(false),
    } as unknown as Parameters<typeof createAuthLock>[0],
    clock,
  );
  const wait = new AbortController();
  const waiting = lock("key", wait.signal).catch((error: unknown) => error);
  while (tries.length < 12) {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advance(1);
  }
  const reason = new Error("enough");
  wait.abort(reason);
  clock.advance(1000);
  expect(await waiting).toBe(reason);
  const delays = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  delays.forEach((delay, index) => {
    const least = Math.min(10 * 2 ** index, 250);
    // A timer of the virtual clock fires with the next whole millisecond.
    expect(delay, `delay ${index}`).toBeGreaterThanOrEqual(least);
    expect(delay, `delay ${index}`).toBeLessThanOrEqual(2 * least + 1);
  });
});
