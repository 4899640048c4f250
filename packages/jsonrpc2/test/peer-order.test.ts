import { expect, test } from "vitest";

import { Peer, type Scope } from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { cancellation, deferred, note, request, settled } from "./helpers.ts";

test("requests start in the order of arrival and run concurrently (S-212)", async () => {
  const other = createScriptedPeer();
  const started: unknown[] = [];
  const gates = [deferred<string>(), deferred<string>(), deferred<string>()];
  await using _peer = new Peer(other.connection, {
    handler({ id }) {
      started.push(id);
      return gates[Number(id) - 1]?.promise;
    },
    limits: { drainMs: 0 },
  });
  other.send(request(1), request(2), request(3));
  await settled();
  expect(started).toEqual([1, 2, 3]);
  gates[2]?.resolve("third");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 3, result: "third" });
  gates[0]?.resolve("first");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "first" });
});

test("a notification's handler runs before anything that arrived later is looked at", async () => {
  const other = createScriptedPeer();
  const log: string[] = [];
  await using peer = new Peer(other.connection, {
    handler({ method }) {
      log.push(method);
    },
  });
  const call = peer.call("m").then(() => log.push("answered"));
  const sent = await other.nextRequest();
  other.send(note("first"), note("second"), { jsonrpc: "2.0", id: sent.id, result: null }, note("third"));
  await call;
  await settled();
  expect(log.indexOf("first")).toBe(0);
  expect(log.indexOf("second")).toBe(1);
  expect(log.indexOf("answered")).toBeGreaterThan(1);
});

test("a handler that returns at once is answered in the same turn", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, { handler: ({ params }) => params });
  other.send(request(1, "echo", { a: 1 }));
  await Promise.resolve();
  await Promise.resolve();
  expect(other.received).toEqual([{ jsonrpc: "2.0", id: 1, result: { a: 1 } }]);
});

test("notifications are never answered, not even unknown or failing ones (R-108)", async () => {
  const other = createScriptedPeer();
  const errors: unknown[] = [];
  await using _peer = new Peer(other.connection, {
    onError: (error) => errors.push(error),
    handler({ method }) {
      if (method === "bad") {
        throw new Error("bad");
      }
      return "ignored";
    },
  });
  other.send(note("bad"), note("good"), request(1));
  expect(await other.next()).toMatchObject({ id: 1 });
  expect(other.received).toHaveLength(1);
  expect(errors).toHaveLength(1);
});

test("with maxInFlight running further requests wait, and start in order as places become free", async () => {
  const other = createScriptedPeer();
  const running = new Map<unknown, (value: unknown) => void>();
  const started: unknown[] = [];
  await using _peer = new Peer(other.connection, {
    handler: ({ id }) =>
      new Promise((resolve) => {
        started.push(id);
        running.set(id, resolve);
      }),
    limits: { maxInFlight: 2, drainMs: 0 },
  });
  other.send(request(1), request(2), request(3), request(4));
  await settled();
  expect(started).toEqual([1, 2]);
  running.get(2)?.("done");
  await settled();
  expect(started).toEqual([1, 2, 3]);
  running.get(1)?.("done");
  await settled();
  expect(started).toEqual([1, 2, 3, 4]);
});

test("with maxBacklog waiting reading stops, and goes on when a place is free and its answer accepted (T-048)", async () => {
  const other = createScriptedPeer();
  const gates: (() => void)[] = [];
  let started = 0;
  await using _peer = new Peer(other.connection, {
    handler: () =>
      new Promise<void>((resolve) => {
        started++;
        gates.push(resolve);
      }),
    limits: { maxInFlight: 2, maxBacklog: 1, drainMs: 0 },
  });
  for (let id = 1; id <= 20; id++) {
    other.send(request(id));
  }
  await settled();
  expect(started).toBe(2);
  expect(other.isRead).toBe(false);
  other.hold();
  gates[0]?.();
  await settled();
  expect(started).toBe(2);
  other.release();
  await settled();
  expect(started).toBe(3);
});

test("a handler that calls back does not wait for itself, however small the limits", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, {
    handler: (scope) => scope.call("back", { for: scope.id ?? null }),
    limits: { maxInFlight: 1, maxBacklog: 1 },
  });
  other.send(request(1), request(2), request(3));
  const back = await other.nextRequest();
  expect(back.params).toEqual({ for: 1 });
  // The third one found no room while reading had to go on.
  expect(await other.next()).toMatchObject({ id: 3, error: { code: -32_603 } });
  other.answer(back, "answer");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "answer" });
  other.answer(await other.nextRequest(), "again");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 2, result: "again" });
});

test("a whole backlog of handlers that return at once exhausts no stack", async () => {
  const other = createScriptedPeer();
  const gate = deferred();
  let handled = 0;
  await using _peer = new Peer(other.connection, {
    handler: ({ id }) => {
      handled++;
      return id === 0 ? gate.promise : undefined;
    },
    limits: { maxInFlight: 1, maxBacklog: 10_000 },
  });
  other.send(...Array.from({ length: 10_000 }, (_, id) => request(id)));
  await settled();
  while (!other.isRead) {
    await settled();
  }
  expect(handled).toBe(1);
  gate.resolve();
  await settled();
  expect(handled).toBe(10_000);
  expect(other.received).toHaveLength(10_000);
});

test("while handlers hang, cancellations, notifications, urgent requests and answers still get through (T-048)", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const aborted: unknown[] = [];
  const noted: string[] = [];
  await using peer = new Peer(other.connection, {
    clock,
    cancellation,
    isUrgent: (method) => method === "ping",
    handler({ id, method, signal }) {
      if (id === undefined) {
        noted.push(method);
        return undefined;
      }
      signal.addEventListener("abort", () => aborted.push(id));
      return method === "ping" ? "pong" : new Promise(() => {});
    },
    limits: { maxInFlight: 2, maxBacklog: 2, drainMs: 0 },
  });
  other.send(...[1, 2, 3, 4, 5].map((id) => request(id)), note("news"), request("p", "ping"));
  other.send(note("cancelled", { requestId: 1 }));
  await settled();
  expect([other.isRead, other.received, noted]).toEqual([false, [], []]);
  clock.advance(1000);
  await settled();
  expect(other.received).toMatchObject([
    { id: 5, error: { code: -32_603 } },
    { id: "p", result: "pong" },
  ]);
  expect([aborted, noted, other.isRead]).toEqual([[1], ["news", "cancelled"], true]);
  const call = peer.call("m");
  other.answer((await other.next(), await other.next(), await other.nextRequest()), "answer");
  expect(await call).toBe("answer");
});

test("a burst waits as long as something finishes, and again once half of the room is free", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const gates: (() => void)[] = [];
  await using peer = new Peer(other.connection, {
    clock,
    handler: () => new Promise<void>((resolve) => gates.push(resolve)),
    limits: { maxInFlight: 2, maxBacklog: 2, drainMs: 0 },
  });
  const finish = async (): Promise<void> => {
    gates.shift()?.();
    await settled();
  };
  other.send(...Array.from({ length: 12 }, (_, index) => request(index + 1)));
  await settled();
  for (let finished = 1; finished <= 4; finished++) {
    clock.advance(999);
    await finish();
    expect(other.received).toHaveLength(finished);
  }
  clock.advance(1000);
  await settled();
  const refused = other.received.flatMap((message) => ("error" in message ? [message.id] : []));
  expect(refused).toEqual([9, 10, 11, 12]);
  await finish();
  await finish();
  other.send(...[13, 14, 15].map((id) => request(id)));
  await settled();
  expect(other.isRead).toBe(false);
  await peer.close();
  expect(clock.timers).toBe(0);
});

test("health checks are answered while all places are taken", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, {
    isUrgent: (method) => method === "ping",
    handler: ({ method }) => (method === "ping" ? "pong" : new Promise(() => {})),
    limits: { maxInFlight: 1, drainMs: 0 },
  });
  other.send(request(1), request(2), request(3, "ping"));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 3, result: "pong" });
});

test("notifications beyond the limits are dropped and reported while an answer is awaited", async () => {
  const other = createScriptedPeer();
  const unexpected: string[] = [];
  let running = 0;
  await using peer = new Peer(other.connection, {
    onUnexpected: ({ kind }) => unexpected.push(kind),
    handler: () => {
      running++;
      return new Promise(() => {});
    },
    limits: { maxInFlight: 2, maxBacklog: 2, drainMs: 0 },
  });
  const call = peer.call("m");
  const sent = await other.nextRequest();
  other.send(...Array.from({ length: 6 }, () => note("n")));
  other.answer(sent, "answer");
  expect(await call).toBe("answer");
  expect(running).toBe(4);
  expect(unexpected).toEqual(["overflow", "overflow"]);
});

test("who sends garbage and reads no answers is not read any further", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection);
  other.hold();
  const garbage = { malformed: { code: -32_700, message: "no" } };
  other.send(...Array.from({ length: 500 }, () => garbage));
  await settled();
  expect(other.received).toHaveLength(64);
  expect(other.isRead).toBe(false);
  other.release();
  await settled();
  await settled();
  expect(other.received).toHaveLength(500);
});

test("interceptors run as m1(m2(m3(h))), receiving and sending (S-079, S-080)", async () => {
  const other = createScriptedPeer();
  const log: string[] = [];
  const named = ["m1", "m2", "m3"];
  await using peer = new Peer(other.connection, {
    handler: () => log.push("handler"),
    receiving: named.map((name) => (next) => async (scope: Scope) => {
      log.push(`${name} in`);
      const result = await next(scope);
      log.push(`${name} out`);
      return result;
    }),
    sending: named.map((name) => (next) => async (call) => {
      log.push(`${name} send ${call.kind}`);
      const result = await next({ ...call, params: { ...call.params, [name]: true } });
      log.push(`${name} sent`);
      return result;
    }),
  });
  other.send(request(1));
  await other.next();
  expect(log).toEqual(["m1 in", "m2 in", "m3 in", "handler", "m3 out", "m2 out", "m1 out"]);
  log.length = 0;
  const call = peer.call("m", { a: 1 });
  const sent = await other.nextRequest();
  expect(sent.params).toEqual({ a: 1, m1: true, m2: true, m3: true });
  other.answer(sent, "answer");
  expect(await call).toBe("answer");
  expect(log).toEqual([
    "m1 send request",
    "m2 send request",
    "m3 send request",
    "m3 sent",
    "m2 sent",
    "m1 sent",
  ]);
  log.length = 0;
  await peer.notify("n");
  expect(log[0]).toBe("m1 send notification");
  expect(await other.next()).toMatchObject({ method: "n", params: { m1: true } });
});

test("calls made by a handler pass the sending interceptors and name the request they belong to", async () => {
  const other = createScriptedPeer();
  const related: unknown[] = [];
  await using _peer = new Peer(other.connection, {
    handler: async (scope) => {
      await scope.notify("progress", { n: 1 });
      return scope.call("back");
    },
    sending: [
      (next) => (call) => {
        related.push([call.kind, call.options?.relatedTo]);
        return next(call);
      },
    ],
  });
  other.send(request("r"));
  expect(await other.next()).toMatchObject({ method: "progress" });
  other.answer(await other.nextRequest(), 1);
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: "r", result: 1 });
  expect(related).toEqual([
    ["notification", "r"],
    ["request", "r"],
  ]);
});
