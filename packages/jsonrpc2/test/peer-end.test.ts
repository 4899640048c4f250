import { afterEach, expect, test } from "vitest";

import {
  connectionClosed,
  isLocalError,
  isUndeliverable,
  Peer,
  undeliverable,
  type Outgoing,
} from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { deferred, note, rejectionOf, request, settled } from "./helpers.ts";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

afterEach(async () => {
  await settled();
  expect(unhandled.splice(0)).toEqual([]);
});

test("when the connection breaks all pending calls reject in the same turn with the cause, and handlers are aborted", async () => {
  const other = createScriptedPeer();
  const failure = new Error("cable cut");
  let signal: AbortSignal | undefined;
  const peer = new Peer(other.connection, {
    handler(scope) {
      signal = scope.signal;
      return new Promise(() => {});
    },
  });
  const rejected: unknown[] = [];
  for (let n = 0; n < 10; n++) {
    peer.call("m").catch((error: unknown) => rejected.push(error));
  }
  other.send(request(1));
  await settled();
  let turns = 0;
  const counter = setInterval(() => turns++, 0);
  other.fail(failure);
  for (let hop = 0; hop < 10; hop++) {
    await Promise.resolve();
  }
  clearInterval(counter);
  expect(turns).toBe(0);
  expect(rejected).toHaveLength(10);
  expect(rejected[0]).toMatchObject({ code: "CONNECTION_CLOSED", cause: failure });
  expect(signal?.aborted).toBe(true);
  expect(await peer.closed).toEqual({ error: failure });
  expect(other.isClosed).toBe(true);
  expect(isLocalError(await rejectionOf(peer.call("m")), "CONNECTION_CLOSED")).toBe(true);
  expect(isLocalError(await rejectionOf(peer.notify("m")), "CONNECTION_CLOSED")).toBe(true);
});

test("after a normal end of input running and waiting handlers are answered, then the connection is closed", async () => {
  const other = createScriptedPeer();
  const gates = [deferred<string>(), deferred<string>()];
  const peer = new Peer(other.connection, {
    handler: ({ id }) => gates[Number(id) - 1]?.promise,
    limits: { maxInFlight: 1 },
  });
  const call = rejectionOf(peer.call("m"));
  await other.next();
  other.send(request(1), request(2));
  other.end();
  expect(isLocalError(await call, "CONNECTION_CLOSED")).toBe(true);
  expect(other.isClosed).toBe(false);
  gates[0]?.resolve("one");
  expect(await other.next()).toMatchObject({ id: 1, result: "one" });
  gates[1]?.resolve("two");
  expect(await other.next()).toMatchObject({ id: 2, result: "two" });
  expect(await peer.closed).toEqual({});
  expect(other.isClosed).toBe(true);
});

test("close refuses what is new, lets handlers finish within drainMs, then aborts them and closes", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const signals: AbortSignal[] = [];
  const gate = deferred<string>();
  const seen: string[] = [];
  const peer = new Peer(other.connection, {
    clock,
    handler(scope) {
      seen.push(scope.method);
      signals.push(scope.signal);
      return scope.id === 1 ? gate.promise : new Promise(() => {});
    },
    limits: { drainMs: 500 },
  });
  other.send(request(1), request(2));
  await settled();
  const closed = peer.close({ reason: "bye" });
  expect(peer.close()).toBe(closed);
  expect(isLocalError(await rejectionOf(peer.call("m")), "CONNECTION_CLOSED")).toBe(true);
  other.send(request(3), note("ignored"));
  expect(await other.next()).toMatchObject({ id: 3, error: { code: -32_603 } });
  gate.resolve("in time");
  expect(await other.next()).toMatchObject({ id: 1, result: "in time" });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  clock.advance(499);
  await settled();
  expect(other.isClosed).toBe(false);
  clock.advance(1);
  await closed;
  expect(signals[1]?.aborted).toBe(true);
  expect(signals[1]?.reason).toMatchObject({ code: "CONNECTION_CLOSED", cause: "bye" });
  expect(seen).toEqual(["m", "m"]);
  expect(other.isClosed).toBe(true);
  expect(clock.timers).toBe(0);
});

test.each([
  { first: 500, second: 100, endsAfter: 100 },
  { first: 500, second: 1000, endsAfter: 500 },
  { first: 500, second: undefined, endsAfter: 500 },
  { first: 500, second: 0, endsAfter: 0 },
  { first: Infinity, second: 100, endsAfter: 100 },
])(
  "close called again: of two times for running handlers, the one that is over first counts ($first, $second)",
  async ({ first, second, endsAfter }) => {
    const other = createScriptedPeer();
    const clock = createVirtualClock();
    const peer = new Peer(other.connection, { clock, handler: () => new Promise(() => {}) });
    other.send(request(1));
    await settled();
    const closed = peer.close({ drainMs: first });
    expect(peer.close({ drainMs: second })).toBe(closed);
    if (endsAfter > 0) {
      clock.advance(endsAfter - 1);
      await settled();
      expect(other.isClosed).toBe(false);
      clock.advance(1);
    }
    await closed;
    expect(other.isClosed).toBe(true);
    await peer.close({ drainMs: 1000 });
    expect(clock.timers).toBe(0);
  },
);

test("an end of input leaves running handlers no more time than close does", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const peer = new Peer(other.connection, {
    clock,
    handler: () => new Promise(() => {}),
    limits: { drainMs: 500 },
  });
  other.send(request(1));
  await settled();
  other.end();
  await settled();
  expect(other.isClosed).toBe(false);
  await peer.close({ drainMs: 0 });
  expect(other.isClosed).toBe(true);
  expect(clock.timers).toBe(0);
});

test("close ends at once when nothing runs, or when drainMs is 0", async () => {
  const clock = createVirtualClock();
  for (const busy of [false, true]) {
    const other = createScriptedPeer();
    const peer = new Peer(other.connection, { clock, handler: () => new Promise(() => {}) });
    if (busy) {
      other.send(request(1));
      await settled();
    }
    await peer.close(busy ? { drainMs: 0 } : {});
    expect(other.isClosed).toBe(true);
    expect(await peer.closed).toEqual({});
  }
  expect(clock.timers).toBe(0);
});

test("pending calls reject when close is through, with its reason as cause; running handlers may still call until then", async () => {
  const other = createScriptedPeer();
  const gate = deferred();
  const peer = new Peer(other.connection, {
    async handler(scope) {
      await gate.promise;
      return scope.call("back");
    },
  });
  const call = rejectionOf(peer.call("m"));
  await other.next();
  other.send(request(1));
  await settled();
  const closed = peer.close({ reason: "bye" });
  gate.resolve();
  other.answer(await other.nextRequest(), "helped");
  expect(await other.next()).toMatchObject({ id: 1, result: "helped" });
  await closed;
  expect(await call).toMatchObject({ code: "CONNECTION_CLOSED", cause: "bye" });
});

test("nothing is answered after the end, and no handler starts", async () => {
  const other = createScriptedPeer();
  const gate = deferred<string>();
  let started = 0;
  const peer = new Peer(other.connection, {
    handler: () => {
      started++;
      return gate.promise;
    },
    limits: { maxInFlight: 1 },
  });
  other.send(request(1), request(2));
  await settled();
  await peer.close({ drainMs: 0 });
  gate.resolve("late");
  await settled();
  expect([started, other.received]).toEqual([1, []]);
});

test("a peer that is closed while it reads no more closes", async () => {
  const other = createScriptedPeer();
  const peer = new Peer(other.connection, {
    handler: () => new Promise(() => {}),
    limits: { maxInFlight: 1, maxBacklog: 0, drainMs: 0 },
  });
  other.send(request(1), request(2), request(3));
  await settled();
  expect(other.isRead).toBe(false);
  await peer.close();
  expect(other.isClosed).toBe(true);
});

test("await using closes", async () => {
  const other = createScriptedPeer();
  {
    await using _peer = new Peer(other.connection);
  }
  expect(other.isClosed).toBe(true);
});

test("a write that fails concerns its message alone", async () => {
  const other = createScriptedPeer();
  const errors: unknown[] = [];
  await using peer = new Peer(other.connection, {
    handler: () => "ok",
    onError: (error) => errors.push(error),
  });
  const busy = new Error("503");
  other.failWrites(busy);
  expect(await rejectionOf(peer.call("m"))).toBe(busy);
  expect(await rejectionOf(peer.notify("m"))).toBe(busy);
  other.send(request(1));
  await settled();
  expect(errors).toEqual([busy]);
  expect(peer.idle).toBe(true);
});

test("a write that fails with CONNECTION_CLOSED ends the peer after drainMs, so that answers on their way still count", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const peer = new Peer(other.connection, { clock, limits: { drainMs: 100 } });
  const answered = peer.call("a");
  const unanswered = rejectionOf(peer.call("b"));
  const gone = connectionClosed(undefined, { cause: new Error("EPIPE") });
  other.failWrites(gone);
  expect(await rejectionOf(peer.call("c"))).toBe(gone);
  expect(await rejectionOf(peer.notify("d"))).toBe(gone);
  expect(clock.timers).toBe(1);
  clock.advance(99);
  other.answer(await other.nextRequest(), "last words");
  expect(await answered).toBe("last words");
  clock.advance(1);
  expect(await unanswered).toMatchObject({ code: "CONNECTION_CLOSED", cause: gone });
  expect(await peer.closed).toEqual({ error: gone });
  expect(clock.timers).toBe(0);
});

test("a transport says that responses without an id are pointless; those with one are sent", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(
    { ...other.connection, answersUnidentified: false },
    { handler: () => new Promise(() => {}), limits: { drainMs: 0 } },
  );
  const malformed = { code: -32_600, message: "no" };
  other.send({ malformed }, request(1), request(1), { batch: [request(2)] }, { malformed, id: 3 });
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 3, error: malformed });
});

test("malformed input is not answered by a side that sends no responses (R-256)", async () => {
  const other = createScriptedPeer();
  const unexpected: string[] = [];
  await using _peer = new Peer(other.connection, {
    answerRefused: () => false,
    onUnexpected: ({ kind }) => unexpected.push(kind),
  });
  other.send({ malformed: { code: -32_700, message: "no" } });
  await settled();
  expect([other.received, unexpected]).toEqual([[], ["malformed"]]);
});

test("a transport that throws instead of rejecting does no harm", async () => {
  const other = createScriptedPeer();
  const failure = new Error("thrown");
  const peer = new Peer({
    read: () => other.connection.read(),
    write() {
      throw failure;
    },
    close() {
      throw failure;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  expect(await rejectionOf(peer.call("m"))).toBe(failure);
  await peer.close();
  expect(await peer.closed).toEqual({ error: failure });
});

test("onIdle is called when the last handler and the last call are done", async () => {
  const other = createScriptedPeer();
  let idle = 0;
  const gate = deferred();
  await using peer = new Peer(other.connection, { onIdle: () => idle++, handler: () => gate.promise });
  other.send(request(1));
  const call = peer.call("m");
  const sent = await other.nextRequest();
  other.answer(sent, 1);
  await call;
  expect([idle, peer.idle]).toEqual([0, false]);
  gate.resolve();
  await other.next();
  await settled();
  expect([idle, peer.idle]).toEqual([1, true]);
});

test("hooks that throw harm nobody", async () => {
  const other = createScriptedPeer();
  const oops = (): never => {
    throw new Error("oops");
  };
  const errors: unknown[] = [];
  const peer = new Peer(other.connection, {
    handler: ({ method }) => method,
    cancellation: { notification: oops, read: oops },
    relate: oops,
    batches: oops,
    onUnexpected: oops,
    onIdle: oops,
    onError(error) {
      errors.push(error);
      oops();
    },
  });
  other.send(
    note("n"),
    { batch: [request(1)] },
    { jsonrpc: "2.0", id: 99, result: 1 },
    { malformed: { code: 1, message: "m" } },
    request(2),
  );
  expect(await other.next()).toMatchObject({ id: null });
  expect(await other.next()).toMatchObject({ id: null });
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 2, result: "m" });
  const abort = new AbortController();
  const call = rejectionOf(peer.call("m", {}, { signal: abort.signal }));
  abort.abort("enough");
  expect(await call).toBe("enough");
  expect(errors.length).toBeGreaterThan(3);
  await peer.close();
});

test("nextId, onId and sending interceptors that throw reject the call", async () => {
  const oops = (): never => {
    throw new Error("oops");
  };
  for (const options of [{ nextId: oops }, { sending: [() => oops] }]) {
    const other = createScriptedPeer();
    await using peer = new Peer(other.connection, options);
    expect(await rejectionOf(peer.call("m"))).toMatchObject({ message: "oops" });
  }
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  expect(await rejectionOf(peer.call("m", {}, { onId: oops }))).toMatchObject({ message: "oops" });
  expect(peer.idle).toBe(true);
});

test("onRelated that throws does not end the conversation", async () => {
  const other = createScriptedPeer();
  const errors: unknown[] = [];
  await using peer = new Peer(other.connection, { relate: () => 1, onError: (error) => errors.push(error) });
  const call = peer.call(
    "m",
    {},
    {
      onRelated() {
        throw new Error("oops");
      },
    },
  );
  const sent = await other.nextRequest();
  other.send(note("progress"));
  other.answer(sent, "fine");
  expect(await call).toBe("fine");
  expect(errors).toHaveLength(1);
});

test("a connection that breaks while handlers drain does not wait for them", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const failure = new Error("cut");
  let signal: AbortSignal | undefined;
  const peer = new Peer(other.connection, {
    clock,
    handler(scope) {
      signal = scope.signal;
      return new Promise(() => {});
    },
  });
  other.send(request(1));
  await settled();
  const closed = peer.close();
  other.fail(failure);
  await closed;
  expect(signal?.aborted).toBe(true);
  expect(await peer.closed).toEqual({ error: failure });
});

test("a read that rejects because of our own close is no failure", async () => {
  let reject: (error: unknown) => void = () => {};
  const peer = new Peer({
    read: () =>
      new Promise((_resolve, fail) => {
        reject = fail;
      }),
    write: () => Promise.resolve(),
    close() {
      reject(new Error("aborted"));
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  await peer.close();
  expect(await peer.closed).toEqual({});
});

test("a malformed message with the id of a request in flight is refused without it", async () => {
  const other = createScriptedPeer();
  const gate = deferred<string>();
  await using _peer = new Peer(other.connection, { handler: () => gate.promise });
  other.send(
    request(1),
    { malformed: { code: -32_600, message: "no" }, id: 1 },
    { malformed: { code: -32_600, message: "no" }, id: 2 },
  );
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  expect(await other.next()).toMatchObject({ id: 2, error: { code: -32_600 } });
  gate.resolve("fine");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "fine" });
});

test("a drain without end waits for its handlers, on the clock of the platform too", async () => {
  const other = createScriptedPeer();
  const release = deferred<string>();
  const peer = new Peer(other.connection, { handler: () => release.promise, limits: { drainMs: Infinity } });
  other.send(request(1));
  await settled();
  const closing = peer.close();
  // The platform makes 1 ms of delays that are too long for it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(other.isClosed).toBe(false);
  release.resolve("done");
  await closing;
  expect(other.received).toEqual([{ jsonrpc: "2.0", id: 1, result: "done" }]);
});

test("a call that nobody can read rejects with CONNECTION_CLOSED, and the conversation goes on", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const { write } = other.connection;
  Object.assign(other.connection, {
    write: (message: Outgoing) =>
      "method" in message && message.method === "lost"
        ? Promise.reject(undeliverable("Nobody reads."))
        : write.call(other.connection, message),
  });
  const peer = new Peer(other.connection, { clock, limits: { drainMs: 10 } });
  const error = await rejectionOf(peer.call("lost"));
  expect(error).toMatchObject({ code: "CONNECTION_CLOSED", message: "Nobody reads." });
  expect([isUndeliverable(error), isUndeliverable(connectionClosed())]).toEqual([true, false]);
  clock.advance(1000);
  await settled();
  const call = peer.call("m");
  const { id } = (await other.next()) as { id: number };
  other.send({ jsonrpc: "2.0", id, result: "heard" });
  expect(await call).toBe("heard");
  expect(peer.received).toBe(1);
  expect(clock.timers).toBe(0);
  await peer.close();
});
