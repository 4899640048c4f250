import { getEventListeners } from "node:events";
import { inspect } from "node:util";

import { expect, expectTypeOf, test } from "vitest";

import {
  isLocalError,
  isRpcError,
  methodHandler,
  Peer,
  RpcError,
  type MethodHandlers,
} from "../src/index.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { cancellation, note, rejectionOf, request, settled } from "./helpers.ts";

test("a call resolves with the result, whatever it is", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  for (const result of [null, 0, "", false, [1], { a: { b: 1 } }]) {
    const call = peer.call("m", { a: 1 });
    const sent = await other.nextRequest();
    expect(sent).toEqual({ jsonrpc: "2.0", id: sent.id, method: "m", params: { a: 1 } });
    other.answer(sent, result);
    expect(await call).toEqual(result);
  }
});

test("ids are 1, 2, 3 … unless nextId makes them", async () => {
  const one = createScriptedPeer();
  await using peer = new Peer(one.connection);
  void peer.call("a").catch(() => {});
  void peer.call("b").catch(() => {});
  expect([(await one.nextRequest()).id, (await one.nextRequest()).id]).toEqual([1, 2]);

  const two = createScriptedPeer();
  await using other = new Peer(two.connection, { nextId: () => "same" });
  const first = other.call("a");
  expect(isLocalError(await rejectionOf(other.call("b")), "INVALID_STATE")).toBe(true);
  two.answer(await two.nextRequest(), 1);
  expect(await first).toBe(1);
});

test('an id is answered with its own type: 1 is not "1" (R-104)', async () => {
  const other = createScriptedPeer();
  const unexpected: unknown[] = [];
  await using peer = new Peer(other.connection, { onUnexpected: (what) => unexpected.push(what.kind) });
  const call = peer.call("m");
  await other.nextRequest();
  other.send({ jsonrpc: "2.0", id: "1", result: "wrong" }, { jsonrpc: "2.0", id: 1, result: "right" });
  expect(await call).toBe("right");
  expect(unexpected).toEqual(["response"]);
});

test("answers in any order reach their own calls (S-213)", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const calls = Array.from({ length: 100 }, (_, n) => peer.call("m", { n }));
  const sent = [];
  for (const _ of calls) {
    sent.push(await other.nextRequest());
  }
  for (const one of sent.toReversed()) {
    other.answer(one, one.params);
  }
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, n) => ({ n })));
});

test("an error answer rejects the call with code, message and data (S-087, S-088)", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const call = peer.call("m");
  other.refuse(await other.nextRequest(), { code: 42, message: "no", data: { why: 1 } });
  const error = await rejectionOf(call);
  expect(isRpcError(error)).toBe(true);
  expect(isLocalError(error)).toBe(false);
  expect(error).toMatchObject({ code: 42, message: "no", data: { why: 1 } });
  expect(error).not.toHaveProperty("id");
});

test("the message of a received error arrives verbatim, and what consoles print of it is cut and escaped", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const printedFor = async (message: string): Promise<string> => {
    const call = peer.call("m");
    other.refuse(await other.nextRequest(), { code: 1, message, data: message });
    const error = (await rejectionOf(call)) as RpcError;
    expect(error.data).toBe(message);
    expect(error.message).toBe(message);
    return /^RpcError: (.*)$/m.exec(inspect(error))?.[1] ?? "";
  };
  expect(await printedFor("plain, größer als “nichts”")).toBe("plain, größer als “nichts”");
  expect(await printedFor("a\u001b[31m\r\nb\u007f\u0085\u202ec")).toBe(
    String.raw`a\u001b[31m\r\nb\u007f\u0085\u202ec`,
  );
  expect(await printedFor("x".repeat(1_000_000))).toBe(`${"x".repeat(8192)}…`);
});

test("a thrown RpcError is the answer; any other throw is -32603 without its text (T-015)", async () => {
  const other = createScriptedPeer();
  const errors: unknown[] = [];
  const secret = new Error("postgres://user:password@db");
  await using _peer = new Peer(other.connection, {
    onError: (error) => errors.push(error),
    handler({ method }) {
      if (method === "rpc") {
        throw new RpcError(7, "mine", { data: { a: 1 }, cause: secret });
      }
      if (method === "async") {
        return Promise.reject(secret);
      }
      // oxlint-disable-next-line typescript/only-throw-error
      throw method === "null" ? null : secret;
    },
  });
  other.send(request(1, "rpc"), request(2, "plain"), request(3, "null"), request(4, "async"));
  expect(await other.next()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: 7, message: "mine", data: { a: 1 } },
  });
  const internal = { code: -32_603, message: "Internal error" };
  for (const id of [2, 3, 4]) {
    expect(await other.next()).toEqual({ jsonrpc: "2.0", id, error: internal });
  }
  expect(errors).toEqual([secret, null, secret]);
});

test.each([
  ["a bigint", () => 1n],
  [
    "a cycle",
    () => {
      const cycle: { self?: object } = {};
      cycle.self = cycle;
      return cycle;
    },
  ],
  ["a function", () => () => 1],
  [
    "a toJSON that throws",
    () => ({
      toJSON() {
        throw new Error("no");
      },
    }),
  ],
  [
    "a getter that throws",
    () => ({
      get value(): never {
        throw new Error("no");
      },
    }),
  ],
  [
    "a then that throws",
    () =>
      new Proxy(
        {},
        {
          has: () => true,
          get() {
            throw new Error("no");
          },
        },
      ),
  ],
])("a result that is %s is answered with -32603 (T-014)", async (_name, result) => {
  const other = createScriptedPeer();
  const errors: unknown[] = [];
  await using _peer = new Peer(other.connection, { handler: result, onError: (error) => errors.push(error) });
  other.send(request(1));
  expect(await other.next()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32_603, message: "Internal error" },
  });
  expect(errors).toHaveLength(1);
});

test("an error whose data JSON cannot carry keeps its code and message", async () => {
  const other = createScriptedPeer();
  await using _peer = new Peer(other.connection, {
    handler() {
      throw new RpcError(7, "mine", { data: 1n });
    },
  });
  other.send(request(1));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, error: { code: 7, message: "mine" } });
});

test("parameters that JSON cannot carry reject the call and leave nothing pending", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  expect(isLocalError(await rejectionOf(peer.call("m", { a: 1n })), "NOT_SERIALIZABLE")).toBe(true);
  expect(isLocalError(await rejectionOf(peer.notify("m", { a: 1n })), "NOT_SERIALIZABLE")).toBe(true);
  expect(peer.idle).toBe(true);
});

test("an aborted call rejects at once with the reason, tells the other side, and drops a late answer (S-094, S-095, S-096, S-097, S-099)", async () => {
  const other = createScriptedPeer();
  const unexpected: string[] = [];
  await using peer = new Peer(other.connection, {
    cancellation,
    onUnexpected: ({ kind }) => unexpected.push(kind),
  });
  const abort = new AbortController();
  const call = peer.call("m", {}, { signal: abort.signal });
  const sent = await other.nextRequest();
  const reason = new Error("enough");
  abort.abort(reason);
  expect(await rejectionOf(call)).toBe(reason);
  expect(await other.next()).toEqual(note("cancelled", { requestId: sent.id, reason: "Error: enough" }));
  other.answer(sent, "late");
  await settled();
  expect(unexpected).toEqual(["response"]);
  expect(peer.idle).toBe(true);
});

test("an aborted call rejects although the transport accepts nothing (S-096)", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection, { cancellation });
  other.hold();
  const abort = new AbortController();
  const call = peer.call("m", {}, { signal: abort.signal });
  abort.abort("enough");
  expect(await rejectionOf(call)).toBe("enough");
});

test("many calls may share one signal; it keeps one listener while one of them is pending, and none afterwards", async () => {
  const other = createScriptedPeer();
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  await using peer = new Peer(other.connection);
  const abort = new AbortController();
  const calls = Array.from({ length: 50 }, () => peer.call("m", {}, { signal: abort.signal }));
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
  other.answer(await other.nextRequest(), "answer");
  expect(await calls[0]).toBe("answer");
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
  const outcomes = calls.slice(1).map((call) => rejectionOf(call));
  abort.abort("enough");
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["enough"]));
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  const again = new AbortController();
  const call = peer.call("m", {}, { signal: again.signal });
  while (other.received.length > 0) {
    const sent = await other.nextRequest();
    if (sent.id === 51) {
      other.answer(sent, 1);
      break;
    }
  }
  await call;
  expect(getEventListeners(again.signal, "abort")).toHaveLength(0);
  await settled();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a call whose signal is aborted already sends nothing", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection, { cancellation });
  const signal = AbortSignal.abort("no");
  expect(await rejectionOf(peer.call("m", {}, { signal }))).toBe("no");
  expect(await rejectionOf(peer.notify("m", {}, { signal }))).toBe("no");
  const abort = new AbortController();
  expect(
    await rejectionOf(peer.call("m", {}, { signal: abort.signal, onId: () => abort.abort("in onId") })),
  ).toBe("in onId");
  expect(other.received).toEqual([]);
});

test("a cancelled request's signal fires with the reason, and it is never answered (R-412)", async () => {
  const other = createScriptedPeer();
  let signal: AbortSignal | undefined;
  await using _peer = new Peer(other.connection, {
    cancellation,
    async handler(scope) {
      if (scope.method !== "m") {
        return "pong";
      }
      signal = scope.signal;
      await new Promise<void>((resolve) => {
        scope.signal.addEventListener("abort", () => resolve());
      });
      expect(isLocalError(await rejectionOf(scope.notify("progress")), "CONNECTION_CLOSED")).toBe(true);
      expect(isLocalError(await rejectionOf(scope.call("back")), "CONNECTION_CLOSED")).toBe(true);
      return "too late";
    },
  });
  other.send(request(1), note("cancelled", { requestId: 1, reason: "user" }), request(2, "ping"));
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 2, result: "pong" });
  await settled();
  expect(signal?.reason).toBe("user");
  expect(other.received).toHaveLength(1);
});

test("the signal of a scope that was cancelled before anybody asked is aborted", async () => {
  const other = createScriptedPeer();
  let aborted: boolean | undefined;
  await using peer = new Peer(other.connection, {
    async handler(scope) {
      await settled();
      aborted = scope.signal.aborted;
    },
  });
  other.send(request(1));
  await Promise.resolve();
  peer.cancel(1, "reason");
  await settled();
  await settled();
  expect(aborted).toBe(true);
  expect(other.received).toEqual([]);
});

test("unknown, finished and malformed cancellations are ignored (R-414, R-415)", async () => {
  const other = createScriptedPeer();
  const seen: string[] = [];
  await using _peer = new Peer(other.connection, {
    cancellation,
    handler: ({ method }) => {
      seen.push(method);
    },
  });
  other.send(
    request(1),
    note("cancelled", { requestId: 1 }),
    note("cancelled", { requestId: 99 }),
    note("cancelled"),
    request(2),
  );
  expect(await other.next()).toMatchObject({ id: 1 });
  expect(await other.next()).toMatchObject({ id: 2 });
  expect(seen).toEqual(["m", "cancelled", "cancelled", "cancelled", "m"]);
});

test("a waiting request that is cancelled never starts", async () => {
  const other = createScriptedPeer();
  const started: unknown[] = [];
  let release: () => void = () => {};
  await using _peer = new Peer(other.connection, {
    cancellation,
    handler({ id, method }) {
      if (method === "m") {
        started.push(id);
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return undefined;
    },
    limits: { maxInFlight: 1 },
  });
  other.send(request(1), request(2), request(3), note("cancelled", { requestId: 2 }));
  await settled();
  release();
  await settled();
  release();
  await settled();
  expect(started).toEqual([1, 3]);
  expect(other.received.map((message) => "id" in message && message.id)).toEqual([1, 3]);
});

test("an id may be used again after the answer or the cancellation; the first request never answers for the second", async () => {
  const other = createScriptedPeer();
  const gates: ((value: string) => void)[] = [];
  await using _peer = new Peer(other.connection, {
    cancellation,
    handler: ({ method }) => (method === "m" ? new Promise((resolve) => gates.push(resolve)) : undefined),
    limits: { drainMs: 0 },
  });
  other.send(request(1), note("cancelled", { requestId: 1 }), request(1));
  await settled();
  gates[0]?.("first");
  await settled();
  expect(other.received).toEqual([]);
  gates[1]?.("second");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "second" });
});

test("an id that is in use is refused without an id, and the first request is answered (T-034)", async () => {
  const other = createScriptedPeer();
  const unexpected: string[] = [];
  let release: (value: string) => void = () => {};
  await using _peer = new Peer(other.connection, {
    onUnexpected: ({ kind }) => unexpected.push(kind),
    handler: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  other.send(request(1), request(1));
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  release("first");
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: "first" });
  expect(unexpected).toEqual(["duplicate-request"]);
});

test("a notification about no pending call is reported, and kept from the handler", async () => {
  const other = createScriptedPeer();
  const unexpected: string[] = [];
  let handled = 0;
  await using peer = new Peer(other.connection, {
    relate: () => 99,
    onUnexpected: ({ kind }) => unexpected.push(kind),
    handler: () => handled++,
  });
  other.send(note("progress"));
  await settled();
  expect([unexpected, handled, peer.idle]).toEqual([["unrelated-notification"], 0, true]);
});

test("more than maxPending calls are refused", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection, { limits: { maxPending: 2 } });
  const first = peer.call("a");
  void peer.call("b").catch(() => {});
  expect(isLocalError(await rejectionOf(peer.call("c")), "LIMIT_EXCEEDED")).toBe(true);
  other.answer(await other.nextRequest(), 1);
  await first;
  void peer.call("d").catch(() => {});
  expect(other.received).toHaveLength(3);
});

test("a broken answer rejects its call instead of leaving it to its timeout", async () => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  const call = peer.call("m");
  const { id } = await other.nextRequest();
  other.send({ malformed: { code: -32_600, message: "no" }, id, response: true });
  expect(isLocalError(await rejectionOf(call), "INVALID_STATE")).toBe(true);
  await settled();
  expect(other.received).toHaveLength(1);
});

interface Calculator {
  add: { params: { a: number; b: number }; result: number };
  reset: { result: null };
}

test("method tables type handlers and calls", async () => {
  const other = createScriptedPeer();
  const handlers: MethodHandlers<Calculator> = { add: ({ a, b }) => a + b, reset: () => null };
  await using peer = new Peer<Calculator>(other.connection, { handler: methodHandler(handlers) });
  type Add = typeof peer.call<"add">;
  type Logged = MethodHandlers<{ logged: { params: { text: string } } }>["logged"];
  expectTypeOf<ReturnType<Logged>>().toEqualTypeOf<void | Promise<void>>();
  expectTypeOf<Awaited<ReturnType<Add>>>().toEqualTypeOf<number>();
  expectTypeOf<{ a: number; b: number }>().toExtend<Parameters<Add>[1]>();
  expectTypeOf<{ a: number }>().not.toExtend<Parameters<Add>[1]>();
  // @ts-expect-error There is no such method.
  void peer.call("subtract").catch(() => {});
  other.send(
    request(1, "add", { a: 1, b: 2 }),
    request(2, "reset"),
    request(3, "toString"),
    request(4, "__proto__"),
  );
  await other.next();
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 1, result: 3 });
  expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 2, result: null });
  expect(await other.next()).toMatchObject({
    id: 3,
    error: { code: -32_601, message: "Method not found: toString" },
  });
  expect(await other.next()).toMatchObject({ id: 4, error: { code: -32_601 } });
});

test.each(["", "x".repeat(1_000_000), "rpc.discover", "a\u0000b"])(
  "an unknown method is -32601, with little of its name echoed (T-011)",
  async (method) => {
    const other = createScriptedPeer();
    await using _peer = new Peer(other.connection);
    other.send(request(1, method));
    const answer = await other.next();
    expect(answer).toMatchObject({ id: 1, error: { code: -32_601 } });
    expect(JSON.stringify(answer).length).toBeLessThan(250);
  },
);
