import type { Peer, Scope } from "@tenon/jsonrpc2";
import {
  createMemoryBus,
  createMemorySessionStore,
  StoreError,
  type Bus,
  type SessionStore,
} from "@tenon/stores";
import { deferred, legacyRevision } from "@tenon/test-support";
import {
  createMemoryEventStore,
  createStreamableHandler,
  type EventStore,
  type SessionStores,
} from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test, vi } from "vitest";

import { call, cluster } from "./cluster.ts";
import { echo } from "./setup.ts";

/** The messages of a response of either kind. */
async function messagesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  return text.startsWith("{")
    ? [JSON.parse(text)]
    : [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** Reads a response part by part. */
function readerOf(response: Response): {
  until(part: string): Promise<string>;
  cancel(): Promise<void>;
  ended(): Promise<void>;
} {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  return {
    async until(part) {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        expect(done).toBe(false);
        text += new TextDecoder().decode(value);
      }
      return text;
    },
    cancel: () => reader.cancel(),
    async ended() {
      while (!(await reader.read()).done) {
        // What the end follows.
      }
    },
  };
}

test("a session that one process opened is served by every process", async () => {
  await using three = cluster();
  const session = await three.open(0);
  for (const node of [1, 2, 0, 1]) {
    const response = await three.send(node, "POST", session, call(node));
    expect(await messagesOf(response)).toEqual([{ jsonrpc: "2.0", id: node, result: { method: "echo" } }]);
  }
});

test("a session is found by its principal only, at every process", async () => {
  await using three = cluster();
  const session = await three.open(0, { authorization: "ada" });
  for (const node of [0, 1]) {
    for (const authorization of ["bob", undefined]) {
      const { authorization: _, ...others } = session;
      const headers = authorization === undefined ? others : { ...others, authorization };
      expect((await three.send(node, "POST", headers, call(1))).status).toBe(404);
      expect((await three.send(node, "DELETE", headers)).status).toBe(404);
    }
  }
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
});

test("a response that arrives at another process reaches the handler that asked", async () => {
  await using three = cluster(async (scope) => {
    if (scope.method !== "ask") {
      return {};
    }
    return { answer: await scope.call("elicitation/create", { message: "Which?" }) };
  });
  const session = await three.open(0);
  const asking = await three.send(1, "POST", session, call(7, "ask"));
  const reader = readerOf(asking);
  let text = await reader.until("elicitation/create");
  const [, question = ""] = /^data: (.*elicitation.*)$/m.exec(text) ?? [];
  const { id } = JSON.parse(question) as { id: string };
  const answered = await three.send(2, "POST", session, { jsonrpc: "2.0", id, result: { action: "accept" } });
  expect(answered.status).toBe(202);
  text = await reader.until('"id":7,');
  expect(text).toContain('"id":7,"result":{"answer":{"action":"accept"}}');
});

test("a response to a process that has gone gets 503", async () => {
  await using three = cluster(echo, { limits: { storeMs: 20 }, onError: () => undefined });
  const session = await three.open(0);
  const answered = await three.send(1, "POST", session, { jsonrpc: "2.0", id: "0123456789ab:1", result: {} });
  expect(answered.status).toBe(503);
});

test("a cancellation that arrives at another process cancels the request", async () => {
  const started = deferred();
  const cancelled = deferred();
  await using three = cluster(async ({ method, signal }) => {
    if (method === "wait") {
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      cancelled.resolve();
    }
    return {};
  });
  const session = await three.open(0);
  void three.send(1, "POST", session, call(3, "wait"));
  await started.promise;
  const params = { requestId: 3 };
  await three.send(2, "POST", session, { jsonrpc: "2.0", method: "notifications/cancelled", params });
  await cancelled.promise;
});

test("a session that a client deletes ends at every process, with its streams", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed } });
  const session = await three.open(0);
  await three.send(1, "POST", session, call(1));
  const stream = await three.send(1, "GET", session);
  expect((await three.send(2, "DELETE", session)).status).toBe(204);
  await stream.text();
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", session, call(2))).status).toBe(404);
  }
  expect(closed).toHaveBeenCalledOnce();
  expect(closed.mock.calls[0]?.[1]).toBe("deleted");
});

test("an idle session ends once, whichever process notices", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed }, limits: { idleMs: 40 } });
  const session = await three.open(0);
  await three.send(1, "POST", session, call(1));
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", session, call(2))).status).toBe(404);
  }
  expect(closed.mock.calls).toEqual([[{ id: session["mcp-session-id"], principal: undefined }, "idle"]]);
});

test("a process that shuts down leaves its sessions to the others", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed } });
  const session = await three.open(0);
  await three.nodes[0]?.close();
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
  expect(closed).not.toHaveBeenCalled();
});

test("a standalone stream is resumed at another process, which then sends for all processes", async () => {
  await using three = cluster();
  const session = await three.open(0);
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
  const [zero, one] = three.peers as [Peer, Peer];
  const first = readerOf(await three.send(0, "GET", session));
  await zero.notify("notifications/message", { n: 1 });
  const text = await first.until('"n":1');
  await first.cancel();
  await zero.notify("notifications/message", { n: 2 });
  const id = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? "";
  const second = readerOf(await three.send(1, "GET", { ...session, "last-event-id": id }));
  await second.until('"n":2');
  await zero.notify("notifications/message", { n: 3 });
  await one.notify("notifications/message", { n: 4 });
  await zero.notify("notifications/tools/list_changed", {});
  await one.notify("notifications/tools/list_changed", {});
  await zero.notify("notifications/message", { n: 5 });
  const all = await second.until('"n":5');
  expect([...all.matchAll(/"n":(\d)/g)].map(([, n]) => n)).toEqual(["2", "3", "4", "5"]);
  // Every process announces a change to its own readers.
  expect([...all.matchAll(/list_changed/g)]).toHaveLength(1);
  await second.cancel();
});

test("a process that has missed the loss of its stream is fenced off by the event store", async () => {
  const model = createMemoryEventStore();
  let newest = 0;
  const events: EventStore = {
    append(stream, data) {
      const { fence = Infinity } = stream;
      if (fence < newest) {
        return Promise.reject(new StoreError("FENCED", "fenced"));
      }
      newest = Math.max(newest, fence === Infinity ? 0 : fence);
      return model.append(stream, data);
    },
    streamOf: (...args) => model.streamOf(...args),
    readAfter: (...args) => model.readAfter(...args),
    deleteSession: (...args) => model.deleteSession(...args),
  };
  const memory = createMemoryBus();
  const publish: Bus["publish"] = (topic, text) =>
    text.includes('"moved"') ? Promise.resolve() : memory.publish(topic, text);
  const bus: Bus = { ...memory, publish };
  const onError = vi.fn();
  await using three = cluster(echo, { onError }, { events, bus });
  const session = await three.open(0);
  const [zero] = three.peers as [Peer];
  const first = readerOf(await three.send(0, "GET", session));
  await zero.notify("notifications/message", { n: 1 });
  await first.until('"n":1');
  const second = readerOf(await three.send(1, "GET", session));
  await three.peers[1]?.notify("notifications/message", { n: 2 });
  await second.until('"n":2');
  await zero.notify("notifications/message", { n: 3 });
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "FENCED" }));
  await first.ended();
  await second.cancel();
});

test("what changes a session at one process is repeated at the others before their next request", async () => {
  const seen: string[][] = [[], [], []];
  await using three = cluster(({ method, params }, node) => {
    seen[node]?.push(`${method} ${JSON.stringify(params)}`);
    return {};
  });
  const session = await three.open(0);
  await three.send(1, "POST", session, call(1, "one"));
  await three.send(0, "POST", session, call(2, "logging/setLevel", { level: "info" }));
  await three.send(0, "POST", session, call(3, "resources/subscribe", { uri: "a:b" }));
  await three.send(0, "POST", session, call(4, "resources/subscribe", { uri: "a:c" }));
  await three.send(1, "POST", session, call(5, "two"));
  await three.send(0, "POST", session, call(6, "resources/unsubscribe", { uri: "a:b" }));
  await three.send(1, "POST", session, call(7, "three"));
  await three.send(2, "POST", session, call(8, "four"));
  expect(seen[1]?.filter((each) => !each.startsWith("notifications"))).toEqual([
    "one {}",
    'logging/setLevel {"level":"info"}',
    'resources/subscribe {"uri":"a:b"}',
    'resources/subscribe {"uri":"a:c"}',
    "two {}",
    'resources/unsubscribe {"uri":"a:b"}',
    "three {}",
  ]);
  expect(seen[2]).toEqual([
    "notifications/initialized {}",
    'logging/setLevel {"level":"info"}',
    'resources/subscribe {"uri":"a:c"}',
    "four {}",
  ]);
});

test("a stream of a request is resumed at another process to its response", async () => {
  const go = deferred();
  await using three = cluster(async (scope) => {
    if (scope.method === "work") {
      await scope.notify("notifications/message", { n: 1 });
      await go.promise;
      await scope.notify("notifications/message", { n: 2 });
    }
    return {};
  });
  const session = await three.open(0);
  const working = await three.send(0, "POST", session, call(5, "work"));
  const reader = readerOf(working);
  const text = await reader.until('"n":1');
  await reader.cancel();
  const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
  const resumed = await three.send(1, "GET", { ...session, "last-event-id": ids.at(-1) ?? "" });
  go.resolve();
  const messages = await messagesOf(resumed);
  expect(messages).toEqual([
    { jsonrpc: "2.0", method: "notifications/message", params: { n: 2 } },
    { jsonrpc: "2.0", id: 5, result: {} },
  ]);
});

test("the process that follows a stream of another is woken by the bus, without reading the store again and again", async () => {
  const model = createMemoryEventStore();
  const read = deferred();
  let reads = 0;
  const events: EventStore = {
    ...model,
    async *readAfter(stream, eventId) {
      reads++;
      yield* model.readAfter(stream, eventId);
      read.resolve();
    },
  };
  const go = deferred();
  const handle = async (scope: Scope): Promise<object> => {
    if (scope.method === "work") {
      await scope.notify("notifications/message", { n: 1 });
      await go.promise;
      await scope.notify("notifications/message", { n: 2 });
    }
    return {};
  };
  await using three = cluster(handle, {}, { events });
  const session = await three.open(0);
  const reader = readerOf(await three.send(0, "POST", session, call(5, "work")));
  const [id] = /(?<=^id: ).+(?=\n.*"n":1)/m.exec(await reader.until('"n":1')) ?? [""];
  await reader.cancel();
  // The timers that read the store never fire.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const resumed = await three.send(1, "GET", { ...session, "last-event-id": id });
  await read.promise;
  await new Promise(setImmediate);
  go.resolve();
  expect(await messagesOf(resumed)).toEqual([
    { jsonrpc: "2.0", method: "notifications/message", params: { n: 2 } },
    { jsonrpc: "2.0", id: 5, result: {} },
  ]);
  expect(reads).toBeLessThanOrEqual(4);
});

test("above maxSessionsPerPrincipal the oldest session of the principal ends at every process", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, {
    sessions: { onSessionClosed: closed },
    limits: { maxSessionsPerPrincipal: 2 },
  });
  const bob = await three.open(0, { authorization: "bob" });
  const oldest = await three.open(0, { authorization: "ada" });
  // Its stream is at another process, which must end it too.
  const stream = await three.send(1, "GET", oldest);
  const others = [
    await three.open(1, { authorization: "ada" }),
    await three.open(2, { authorization: "ada" }),
  ];
  await stream.text();
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", oldest, call(node))).status).toBe(404);
    for (const session of [bob, ...others]) {
      expect((await three.send(node, "POST", session, call(node))).status).toBe(200);
    }
  }
  expect(closed.mock.calls).toEqual([[{ id: oldest["mcp-session-id"], principal: "ada" }, "evicted"]]);
});

test("while the store of sessions fails, sessions are refused with 503, and other requests served", async () => {
  let fails = false;
  const model = createMemorySessionStore();
  const sessions = new Proxy(model, {
    get: (target, name: keyof SessionStore) =>
      fails ? () => new Promise(() => undefined) : (target[name] as unknown),
  });
  await using three = cluster(echo, { limits: { storeMs: 20 }, onError: () => undefined }, { sessions });
  const session = await three.open(0);
  fails = true;
  const refused = await three.send(0, "POST", session, call(1));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  expect((await three.send(1, "POST", {}, call(1, "initialize", params))).status).toBe(503);
  expect((await three.send(1, "POST", {}, call(1))).status).toBe(200);
  fails = false;
  expect((await three.send(1, "POST", session, call(1))).status).toBe(200);
});

test("stores without sessions or a bus are refused", () => {
  const getServer = () => undefined;
  const stores = { sessions: createMemorySessionStore() } as unknown as SessionStores;
  expect(() => createStreamableHandler({ getServer, stores })).toThrow("stores must have the properties");
});
