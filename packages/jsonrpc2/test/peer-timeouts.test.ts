import { expect, test } from "vitest";

import { isLocalError, isRpcError, Peer, type Clock } from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { cancellation, note, rejectionOf, settled } from "./helpers.ts";

test("silence beyond timeoutMs rejects with TIMEOUT and cancels; related notifications start it anew (R-240, R-242, S-224)", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const progress: unknown[] = [];
  await using peer = new Peer(other.connection, {
    clock,
    cancellation,
    relate: ({ method, params }) => (method === "progress" ? (params as { id: number }).id : undefined),
    limits: { timeoutMs: 1000 },
  });
  const call = peer.call("m", {}, { onRelated: ({ params }) => progress.push(params) });
  const outcome = rejectionOf(call);
  const sent = await other.nextRequest();
  for (let step = 0; step < 5; step++) {
    clock.advance(900);
    other.send(note("progress", { id: sent.id }));
    await settled();
  }
  expect(progress).toHaveLength(5);
  expect(peer.idle).toBe(false);
  clock.advance(1000);
  const error = await outcome;
  expect(isLocalError(error, "TIMEOUT")).toBe(true);
  expect(isRpcError(error)).toBe(false);
  expect(await other.next()).toMatchObject({ method: "cancelled", params: { requestId: sent.id } });
});

test("while idle time is held no call times out for silence; when the last hold ends it starts anew", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  await using peer = new Peer(other.connection, { clock, limits: { timeoutMs: 1000 } });
  const outcome = rejectionOf(peer.call("m"));
  await other.nextRequest();
  clock.advance(900);
  const releases = [peer.holdIdleTime(), peer.holdIdleTime()];
  clock.advance(60_000);
  releases[0]?.();
  releases[0]?.();
  clock.advance(60_000);
  const during = peer.call("n");
  await other.nextRequest();
  releases[1]?.();
  clock.advance(999);
  await settled();
  expect(peer.idle).toBe(false);
  clock.advance(1);
  expect(await outcome).toMatchObject({ code: "TIMEOUT" });
  expect(await rejectionOf(during)).toMatchObject({ code: "TIMEOUT" });
});

test("totalTimeoutMs goes on while idle time is held", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  await using peer = new Peer(other.connection, { clock });
  const outcome = rejectionOf(peer.call("m", {}, { timeoutMs: 1000, totalTimeoutMs: 5000 }));
  await other.nextRequest();
  peer.holdIdleTime();
  clock.advance(4999);
  await settled();
  expect(peer.idle).toBe(false);
  clock.advance(1);
  expect(await outcome).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("totalTimeoutMs") as string,
  });
});

test("totalTimeoutMs ends a call however much is heard (R-241)", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  await using peer = new Peer(other.connection, {
    clock,
    relate: ({ params }) => (params as { id: number }).id,
  });
  const outcome = rejectionOf(peer.call("m", {}, { timeoutMs: 1000, totalTimeoutMs: 2500 }));
  const sent = await other.nextRequest();
  for (let step = 0; step < 3; step++) {
    clock.advance(800);
    other.send(note("progress", { id: sent.id }));
    await settled();
  }
  expect(peer.idle).toBe(false);
  clock.advance(100);
  expect(await outcome).toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("totalTimeoutMs") as string,
  });
});

test("a call without limits never times out, and Infinity switches the default off", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  await using peer = new Peer(other.connection, { clock, limits: { timeoutMs: 10, totalTimeoutMs: 10 } });
  const call = peer.call("m", {}, { timeoutMs: Infinity, totalTimeoutMs: Infinity });
  expect(clock.timers).toBe(0);
  clock.advance(1e9);
  other.answer(await other.nextRequest(), 1);
  expect(await call).toBe(1);
});

test("all timeouts share one timer, and none is left when nothing is pending", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  await using peer = new Peer(other.connection, { clock, limits: { timeoutMs: 1000 } });
  const calls = Array.from({ length: 100 }, (_, n) => peer.call("m", {}, { timeoutMs: 5000 - n }));
  expect(clock.timers).toBe(1);
  for (const _ of calls) {
    other.answer(await other.nextRequest(), 1);
  }
  await Promise.all(calls);
  expect(clock.timers).toBe(0);
});

test("on a clock that lets go of timers one timer serves call after call, and closing forgets it", async () => {
  const other = createScriptedPeer();
  const virtual = createVirtualClock();
  const kept: boolean[] = [];
  let set = 0;
  const clock: Clock = {
    ...virtual,
    setTimeout: (...timer) => {
      set++;
      return virtual.setTimeout(...timer);
    },
    keepAlive: (_handle, keepsAlive) => {
      kept.push(keepsAlive);
      return true;
    },
  };
  const peer = new Peer(other.connection, { clock, limits: { timeoutMs: 1000 } });
  for (let n = 0; n < 10; n++) {
    const call = peer.call("m");
    other.answer(await other.nextRequest(), n);
    expect(await call).toBe(n);
  }
  expect(set).toBe(1);
  expect(kept.slice(0, 3)).toEqual([false, true, false]);

  virtual.advance(900);
  const silent = rejectionOf(peer.call("m"));
  await other.nextRequest();
  // Where the time of the first call would have been over.
  virtual.advance(999);
  expect(peer.idle).toBe(false);
  virtual.advance(1);
  expect(isLocalError(await silent, "TIMEOUT")).toBe(true);

  await peer.close();
  expect(virtual.timers).toBe(0);
});
