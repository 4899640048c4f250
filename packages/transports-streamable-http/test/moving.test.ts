import {
  createMemoryBus,
  createMemorySessionStore,
  StoreError,
  type Bus,
  type SessionStore,
} from "@tenon/stores";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test, vi } from "vitest";

import { call, cluster, type Cluster } from "./cluster.ts";
import { echo, peerServer } from "./setup.ts";

// Sessions that move between processes, when the other process or the store does not behave.

/** Opens the standalone stream at a node, and collects what it sends. */
async function listenAt(
  three: Cluster,
  node: number,
  session: Record<string, string>,
): Promise<() => string> {
  const response = await three.send(node, "GET", { ...session, accept: "text/event-stream" });
  let text = "";
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
    }
  };
  void read().catch(() => undefined);
  onTestFinished(() => reader.cancel());
  return () => text;
}

test("messages wait once for a process that has died with the stream of its session", async () => {
  const memory = createMemoryBus();
  let deadNode = "";
  let asked = 0;
  const bus: Bus = {
    ...memory,
    publish(topic, payload) {
      if (topic === deadNode) {
        asked++;
        return Promise.resolve();
      }
      return memory.publish(topic, payload);
    },
    subscribe(topic, listener) {
      nodeTopics.push(topic);
      return memory.subscribe(topic, listener);
    },
  };
  const nodeTopics: string[] = [];
  await using three = cluster(
    async (scope) => {
      for (let index = 0; index < 3; index++) {
        await three.peers[1]?.notify("notifications/message", { level: "error", data: index });
      }
      return { method: scope.method };
    },
    { limits: { storeMs: 50 }, onError: () => undefined },
    { bus },
  );
  const session = await three.open(0);
  await listenAt(three, 0, session);
  // The first call makes the other node know the stream.
  await (await three.send(1, "POST", session, call(1))).text();
  deadNode = nodeTopics.filter((topic) => topic.startsWith("to:node:"))[0] ?? "";
  expect(deadNode).not.toBe("");
  for (const id of [2, 3]) {
    expect(await (await three.send(1, "POST", session, call(id))).text()).toContain('"method":"echo"');
  }
  expect(asked).toBe(1);
});

test("sessions without a principal have a limit in the store too, and used ones are spared", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { limits: { maxSessions: 10 }, sessions: { onSessionClosed: closed } });
  const used = await three.open(0);
  await (await three.send(1, "POST", used, call(1))).text();
  for (let index = 0; index < 30; index++) {
    await three.open(0);
  }
  expect(closed).toHaveBeenCalledTimes(21);
  expect(new Set(closed.mock.calls.map(([, end]) => end as unknown))).toEqual(new Set(["evicted"]));
  expect((await three.send(2, "POST", used, call(2))).status).toBe(200);
});

test("when all sessions without a principal are in use, a further one is refused", async () => {
  await using three = cluster(echo, { limits: { maxSessions: 2 } });
  for (let index = 0; index < 2; index++) {
    const session = await three.open(0);
    await (await three.send(0, "POST", session, call(1))).text();
  }
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const refused = await three.send(0, "POST", {}, call("open", "initialize", params));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
});

test("all sessions that have expired are removed at the next visit, however many they are", async () => {
  const memory = createMemorySessionStore();
  for (let index = 0; index < 4500; index++) {
    const record = { id: `s${index}`, principal: undefined, opening: "{}", facts: "{}", node: undefined };
    await memory.create(record, 0);
  }
  const closed = vi.fn();
  const bus = createMemoryBus();
  const handler = createStreamableHandler({
    getServer: () => peerServer(echo),
    stores: { sessions: memory, bus },
    limits: { idleMs: 40 },
    sessions: { onSessionClosed: closed },
  });
  onTestFinished(() => handler.close({ drainMs: 0 }));
  await handler.fetch(new Request("http://127.0.0.1/mcp", { headers: { "mcp-session-id": "x" } }));
  await vi.waitFor(() => expect(closed.mock.calls.length).toBeGreaterThan(0));
  expect(closed).toHaveBeenCalledTimes(4500);
});

test("a request extends its session at once", async () => {
  let now = Date.now();
  const memory = createMemorySessionStore({ clock: { date: () => now } });
  await using three = cluster(echo, { limits: { idleMs: 3_600_000 } }, { sessions: memory });
  const session = await three.open(0);
  // Another process is the first to serve it again, shortly before it would end.
  for (const [id, node] of [1, 2].entries()) {
    now += 3_400_000;
    expect((await three.send(node, "POST", session, call(id))).status).toBe(200);
  }
});

test.each(["a b", "é", "\uD800", '"', "[]"])(
  "the stream of a request with the ID %j is resumed at another process",
  async (id) => {
    const gate = deferred();
    const errors: unknown[] = [];
    await using three = cluster(
      async (scope) => {
        await scope.notify("notifications/message", { level: "info", data: "begun" });
        await gate.promise;
        return { done: true };
      },
      { onError: (error) => errors.push(error) },
    );
    const session = await three.open(0);
    const response = await three.send(0, "POST", session, call(id));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    while (!text.includes("begun")) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    await reader.cancel();
    const eventId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? "";
    expect(eventId).toMatch(/^[!-~]+$/);
    const resumed = three.send(1, "GET", {
      ...session,
      accept: "text/event-stream",
      "last-event-id": eventId,
    });
    gate.resolve();
    expect(await (await resumed).text()).toContain('"result":{"done":true}');
    expect(errors).toEqual([]);
  },
);

test("a client whose process died before its response gets an error with its odd ID", async () => {
  const begun = deferred();
  const memory = createMemoryBus();
  let isDead = false;
  const bus: Bus = {
    ...memory,
    publish: (topic, payload) =>
      isDead && topic.startsWith("to:node:") ? Promise.resolve() : memory.publish(topic, payload),
  };
  await using three = cluster(
    async (scope) => {
      await scope.notify("notifications/message", { level: "info", data: "begun" });
      begun.resolve();
      await new Promise(() => undefined);
    },
    { limits: { storeMs: 50 }, onError: () => undefined },
    { bus },
  );
  const session = await three.open(0);
  const response = await three.send(0, "POST", session, call("a é b"));
  await begun.promise;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  isDead = true;
  const eventId = /^id: (.+)$/m.exec(text)?.[1] ?? "";
  const resumed = await three.send(1, "GET", {
    ...session,
    accept: "text/event-stream",
    "last-event-id": eventId,
  });
  const rest = await resumed.text();
  expect(rest).toContain('"id":"a é b"');
  expect(rest).toContain("has ended before its response");
  await reader.cancel();
});

test("a change that is being stored survives the change of another process", async () => {
  const memory = createMemorySessionStore();
  const gate = deferred();
  const held = deferred();
  const sessions: SessionStore = {
    ...memory,
    async update(id, version, patch) {
      if (patch.facts?.includes("res:a") === true && !patch.facts.includes("res:b")) {
        held.resolve();
        await gate.promise;
      }
      return memory.update(id, version, patch);
    },
  };
  const seen: string[] = [];
  await using three = cluster(
    ({ method, params }, node) => {
      seen.push(`${node} ${method} ${String(Reflect.get(params ?? {}, "uri"))}`);
      return {};
    },
    {},
    { sessions },
  );
  const session = await three.open(0);
  const first = three.send(0, "POST", session, call(1, "resources/subscribe", { uri: "res:a" }));
  await held.promise;
  await (await three.send(1, "POST", session, call(2, "resources/subscribe", { uri: "res:b" }))).text();
  // The first process learns of the second subscription while its own is not stored.
  await vi.waitFor(() => expect(seen).toContain("0 resources/subscribe res:b"));
  gate.resolve();
  expect(await (await first).text()).toContain('"result":{}');
  await (await three.send(0, "POST", session, call(3))).text();
  expect(seen.filter((each) => each.includes("unsubscribe"))).toEqual([]);
  await (await three.send(2, "POST", session, call(4))).text();
  const third = seen.filter((each) => each.startsWith("2 resources/subscribe"));
  expect(third.toSorted()).toEqual(["2 resources/subscribe res:a", "2 resources/subscribe res:b"]);
});

test.each([0, 1])(
  "a session that is opened while its principal is revoked does not survive (node %i)",
  async (node) => {
    const memory = createMemorySessionStore();
    const creating = deferred();
    const gate = deferred();
    const sessions: SessionStore = {
      ...memory,
      async create(session, ttlMs) {
        if (session.principal === "ada") {
          creating.resolve();
          await gate.promise;
        }
        return memory.create(session, ttlMs);
      },
    };
    await using three = cluster(echo, {}, { sessions });
    const params = {
      protocolVersion: legacyRevision,
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const opening = three.send(0, "POST", { authorization: "ada" }, call("open", "initialize", params));
    await creating.promise;
    await three.nodes[node]?.revoke("ada");
    gate.resolve();
    expect((await opening).status).toBe(404);
    expect(await memory.list("ada", 10)).toEqual([]);
  },
);

test("close settles although the bus never answers a subscription", async () => {
  const memory = createMemoryBus();
  const bus: Bus = { ...memory, subscribe: () => new Promise(() => undefined) };
  const onError = vi.fn();
  const handler = createStreamableHandler({
    getServer: () => peerServer(echo),
    stores: { sessions: createMemorySessionStore(), bus },
    limits: { storeMs: 20 },
    onError,
  });
  await handler.fetch(new Request("http://127.0.0.1/mcp", { headers: { "mcp-session-id": "x" } }));
  await handler.close({ drainMs: 0 });
  expect(onError.mock.lastCall?.[0]).toBeInstanceOf(StoreError);
});

test("a process that follows a stream reads the store twice a second while nothing is written", async () => {
  let reads = 0;
  const memory = createMemoryEventStore();
  const events: typeof memory = {
    ...memory,
    append: (...args) => memory.append(...args),
    streamOf: (...args) => memory.streamOf(...args),
    readAfter(...args) {
      reads++;
      return memory.readAfter(...args);
    },
  };
  const gate = deferred();
  await using three = cluster(
    async (scope) => {
      await scope.notify("notifications/message", { level: "info", data: "begun" });
      await gate.promise;
      return { done: true };
    },
    {},
    { events },
  );
  const session = await three.open(0);
  const response = await three.send(0, "POST", session, call(1));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const text = new TextDecoder().decode((await reader.read()).value);
  const eventId = /^id: (.+)$/m.exec(text)?.[1] ?? "";
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const resumed = await three.send(1, "GET", {
    ...session,
    accept: "text/event-stream",
    "last-event-id": eventId,
  });
  await vi.advanceTimersByTimeAsync(10);
  const readAtFirst = reads;
  await vi.advanceTimersByTimeAsync(400);
  expect(reads - readAtFirst).toBe(0);
  await vi.advanceTimersByTimeAsync(2000);
  expect(reads - readAtFirst).toBe(4);
  gate.resolve();
  expect(await resumed.text()).toContain('"done":true');
  await reader.cancel();
});
