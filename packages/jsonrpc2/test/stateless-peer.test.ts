import { expect, test, vi } from "vitest";

import {
  LocalError,
  RpcError,
  type Caller,
  type Notification,
  type Response,
  type Scope,
} from "../src/index.ts";
import { StatelessPeer } from "../src/stateless.ts";
import { createVirtualClock } from "../src/testing.ts";
import { deferred, note, rejectionOf, request, settled } from "./helpers.ts";

/** A caller that keeps what is sent to it, in order. */
function caller(extra?: Caller["extra"]): Caller & { readonly sent: (Response | Notification | "ended")[] } {
  const sent: (Response | Notification | "ended")[] = [];
  return {
    sent,
    extra,
    notify: (message) => {
      sent.push(message);
      return undefined;
    },
    answer: (response) => {
      sent.push(response);
    },
    ended: () => {
      sent.push("ended");
    },
  };
}

test("a handler that returns synchronously has been answered when handle returns", () => {
  const peer = new StatelessPeer();
  const { sent, ...to } = caller();
  peer.handle(request(1), to, () => ({ a: 1 }));
  expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: { a: 1 } }, "ended"]);
  expect(peer.size).toBe(0);
});

test("undefined becomes null, an RpcError is sent, any other error is reported and hidden", () => {
  const onError = vi.fn();
  const peer = new StatelessPeer({ onError });
  const { sent, ...to } = caller();
  peer.handle(request(1), to, () => undefined);
  peer.handle(request(2), to, () => {
    throw new RpcError(-32000, "No", { data: 7 });
  });
  const secret = new Error("secret");
  peer.handle(request(3), to, () => {
    throw secret;
  });
  expect(sent.filter((message) => message !== "ended")).toEqual([
    { jsonrpc: "2.0", id: 1, result: null },
    { jsonrpc: "2.0", id: 2, error: { code: -32000, message: "No", data: 7 } },
    { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "Internal error" } },
  ]);
  expect(onError.mock.calls).toEqual([[secret]]);
});

test("requests with equal ids are told apart, and each handler sees its own message", async () => {
  const peer = new StatelessPeer();
  const [first, second] = [caller({ auth: { principal: "a" } }), caller({ auth: { principal: "b" } })];
  const handler = async (scope: Scope): Promise<unknown> => {
    await scope.notify("n", { to: scope.extra?.auth?.principal });
    return scope.params;
  };
  peer.handle(request(1, "m", { p: 1 }), first, handler);
  peer.handle(request(1, "m", { p: 2 }), second, handler);
  expect(peer.size).toBe(2);
  await settled();
  expect(first.sent).toEqual([
    { jsonrpc: "2.0", method: "n", params: { to: "a" } },
    { jsonrpc: "2.0", id: 1, result: { p: 1 } },
    "ended",
  ]);
  expect(second.sent[1]).toEqual({ jsonrpc: "2.0", id: 1, result: { p: 2 } });
});

test("a cancelled request is not answered, and occupies the peer until its handler has settled", async () => {
  const peer = new StatelessPeer();
  const { sent, ...to } = caller();
  const work = deferred();
  const reasons: unknown[] = [];
  const handling = peer.handle(request(1), to, async (scope) => {
    scope.signal.addEventListener("abort", () => reasons.push(scope.signal.reason));
    await work.promise;
    reasons.push(await rejectionOf(scope.notify("late")));
  });
  handling.cancel("gone");
  expect(reasons).toEqual(["gone"]);
  expect(peer.size).toBe(1);
  work.resolve();
  await settled();
  expect(reasons[1]).toMatchObject({ code: "CONNECTION_CLOSED", cause: "gone" });
  expect(sent).toEqual(["ended"]);
  expect(peer.size).toBe(0);
});

test("after the answer nothing can be sent for the request", async () => {
  const peer = new StatelessPeer();
  const { sent, ...to } = caller();
  const kept: Scope[] = [];
  peer.handle(request(1), to, (scope) => void kept.push(scope));
  const [late] = kept.map((scope) => scope.notify("late"));
  expect(await rejectionOf(Promise.resolve(late))).toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(sent).toHaveLength(2);
});

test("without a connection the server cannot send requests to the client", async () => {
  const peer = new StatelessPeer();
  const { sent, ...to } = caller();
  peer.handle(request(1), to, async (scope) => String(await rejectionOf(scope.call("ask"))));
  await settled();
  expect(sent[0]).toMatchObject({ result: expect.stringContaining("Cannot send ask: without a session") });
});

test("a notification is never answered, and what is sent on its behalf is dropped", async () => {
  const onError = vi.fn();
  const peer = new StatelessPeer({ onError });
  const { sent, ...to } = caller();
  peer.handle(note("n"), to, async (scope) => {
    await scope.notify("more");
    throw new Error("no answer");
  });
  await settled();
  expect(sent).toEqual(["ended"]);
  expect(onError).toHaveBeenCalledTimes(1);
});

test("notifications pass through the send option", async () => {
  const peer = new StatelessPeer({
    send: (call, next) => next({ ...call, params: { changed: true } }),
  });
  const { sent, ...to } = caller();
  peer.handle(request(1), to, (scope) => scope.notify("n", { changed: false }));
  await settled();
  expect(sent[0]).toEqual({ jsonrpc: "2.0", method: "n", params: { changed: true } });
});

test("a result that JSON cannot carry becomes an error, and a caller that fails again is reported", () => {
  const unfit = new LocalError("NOT_SERIALIZABLE", "A bigint.");
  const onError = vi.fn();
  const peer = new StatelessPeer({ onError });
  const answers: Response[] = [];
  const refusing = (times: number): Caller => ({
    notify: () => undefined,
    answer: (response) => {
      answers.push(response);
      if (answers.length <= times) {
        throw unfit;
      }
    },
  });
  peer.handle(request(1), refusing(1), () => 1n);
  expect(answers[1]).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: "Internal error" },
  });
  answers.length = 0;
  peer.handle(request(2), refusing(Infinity), () => 1n);
  expect(answers).toHaveLength(2);
  expect(onError.mock.calls).toEqual([[unfit], [unfit], [unfit]]);
  expect(peer.size).toBe(0);
  const onUnsent = vi.fn();
  answers.length = 0;
  new StatelessPeer({ onError, onUnsent }).handle(request(3), refusing(1), () => 1n);
  const said = { jsonrpc: "2.0", id: 3, result: 1n };
  expect(onUnsent.mock.calls).toEqual([[expect.objectContaining({ method: "m" }), said, unfit]]);
  expect(onError).toHaveBeenCalledTimes(3);
});

test("close waits for drainMs, then aborts the handler and answers for it", async () => {
  const clock = createVirtualClock();
  const peer = new StatelessPeer({ clock, limits: { drainMs: 500 } });
  const { sent, ...to } = caller();
  let signal: AbortSignal | undefined;
  peer.handle(request(1), to, (scope) => {
    ({ signal } = scope);
    return new Promise(() => {});
  });
  const closing = peer.close();
  clock.advance(499);
  expect(sent).toEqual([]);
  clock.advance(1);
  await closing;
  expect(signal?.aborted).toBe(true);
  expect(sent).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "The server is shutting down" } },
    "ended",
  ]);
});

test("close again with a shorter time shortens the wait", async () => {
  const clock = createVirtualClock();
  const peer = new StatelessPeer({ clock });
  const { sent, ...to } = caller();
  peer.handle(request(1), to, () => new Promise(() => {}));
  const closing = peer.close({ drainMs: 10_000 });
  await peer.close({ drainMs: 0 });
  await closing;
  expect(sent).toHaveLength(2);
});

test("a handler that finishes in time is answered by itself", async () => {
  const clock = createVirtualClock();
  const peer = new StatelessPeer({ clock });
  const { sent, ...to } = caller();
  const work = deferred<string>();
  peer.handle(request(1), to, () => work.promise);
  const closing = peer.close();
  work.resolve("done");
  await closing;
  expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: "done" }, "ended"]);
});

test("what only waits ends in good order at once, even without time to drain", async () => {
  const peer = new StatelessPeer();
  const { sent, ...to } = caller();
  peer.handle(request(1), to, (scope) => {
    const end = deferred<string>();
    const resume = scope.park(() => {
      resume();
      end.resolve("ended by close");
    });
    return end.promise;
  });
  await peer.close({ drainMs: 0 });
  expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, result: "ended by close" }, "ended"]);
});
