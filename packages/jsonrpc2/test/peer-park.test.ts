import { expect, test } from "vitest";

import { extra, Peer, type Scope } from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { cancellation, deferred, note, request, settled } from "./helpers.ts";

test("a parked request gives its place to the next one, and is answered all the same", async () => {
  const other = createScriptedPeer();
  const gate = deferred<string>();
  await using _peer = new Peer(other.connection, {
    handler(scope) {
      if (scope.method === "listen") {
        scope.park();
        return gate.promise;
      }
      return "quick";
    },
    limits: { maxInFlight: 1 },
  });
  other.send(request(1, "listen"), request(2, "listen"), request(3));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 3, result: "quick" });
  gate.resolve("over");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "over" });
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 2, result: "over" });
});

test("a parked request keeps its id, and can be cancelled", async () => {
  const other = createScriptedPeer();
  let signal: AbortSignal | undefined;
  await using _peer = new Peer(other.connection, {
    cancellation,
    handler(scope) {
      if (scope.method !== "listen") {
        return "quick";
      }
      scope.park();
      signal = scope.signal;
      return new Promise(() => {});
    },
  });
  other.send(request(1, "listen"), request(1, "listen"));
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  other.send(note("cancelled", { requestId: 1, reason: "user" }), request(2));
  expect(await other.next()).toMatchObject({ id: 2 });
  expect(signal?.reason).toBe("user");
});

test("the cancellation of a parked request ends its wait, even one that came before the wait", async () => {
  const other = createScriptedPeer();
  const gate = deferred();
  const ended: string[] = [];
  await using _peer = new Peer(other.connection, {
    cancellation,
    async handler(scope) {
      if (scope.method === "quick") {
        return "quick";
      }
      await (scope.method === "late" ? gate.promise : undefined);
      await new Promise<void>((resolve) => {
        scope.park(() => {
          ended.push(scope.method);
          resolve();
        });
      });
      return "ended";
    },
  });
  other.send(request(1, "listen"), request(2, "late"));
  other.send(note("cancelled", { requestId: 1 }), note("cancelled", { requestId: 2 }), request(3, "quick"));
  expect(await other.next()).toMatchObject({ id: 3 });
  gate.resolve();
  await settled();
  expect(ended).toEqual(["listen", "late"]);
});

test("closing does not wait for parked requests but aborts them; one that is taken back is waited for", async () => {
  const clock = createVirtualClock();
  for (const takenBack of [false, true]) {
    const other = createScriptedPeer();
    const gate = deferred<string>();
    const scopes: Scope[] = [];
    const peer = new Peer(other.connection, {
      clock,
      handler(scope) {
        scopes.push(scope);
        const takeBack = scope.park();
        if (takenBack) {
          takeBack();
          takeBack();
        }
        return gate.promise;
      },
    });
    other.send(request(1));
    await settled();
    expect(peer.idle).toBe(!takenBack);
    const closed = peer.close();
    await settled();
    expect(other.isClosed).toBe(!takenBack);
    expect(scopes[0]?.signal.aborted).toBe(!takenBack);
    gate.resolve("answer");
    await closed;
    expect(other.received).toEqual(takenBack ? [{ jsonrpc: "2.0", id: 1, result: "answer" }] : []);
  }
  expect(clock.timers).toBe(0);
});

test("parking makes room for reading that had stopped", async () => {
  const other = createScriptedPeer();
  const scopes: Scope[] = [];
  await using _peer = new Peer(other.connection, {
    handler(scope) {
      scopes.push(scope);
      return new Promise(() => {});
    },
    limits: { maxInFlight: 1, maxBacklog: 0, drainMs: 0 },
  });
  other.send(request(1), request(2));
  await settled();
  expect([scopes.length, other.isRead]).toEqual([1, false]);
  scopes[0]?.park();
  await settled();
  expect(scopes.length).toBe(2);
});

test("parking what is over changes nothing", async () => {
  const other = createScriptedPeer();
  let scope: Scope | undefined;
  await using peer = new Peer(other.connection, {
    handler(one) {
      scope = one;
    },
  });
  other.send(request(1));
  await other.next();
  await settled();
  scope?.park()();
  expect(peer.idle).toBe(true);
});

test("a handler sees what the transport knows about a message, and the wire never does", async () => {
  const other = createScriptedPeer();
  const seen: unknown[] = [];
  await using peer = new Peer(other.connection, { handler: (scope) => seen.push(scope.extra) });
  const auth = { principal: "user" };
  other.send({ ...request(1), [extra]: { auth } }, note("n"));
  await other.next();
  await peer.notify("n", { [extra]: { auth } });
  expect(seen).toEqual([{ auth }, undefined]);
  expect(JSON.stringify(other.received)).not.toContain("principal");
});
