import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { McpError, Server } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { macrotask } from "./asking.ts";
import { converse, legacyRevisions, type Conversation } from "./conversation.ts";
import { modern } from "./wire.ts";

const uri = "notes://1";

function addNote(server: Server): void {
  server.addResource({ uri, name: "one" }, () => "one");
  server.addPrompt({ name: "p" }, () => "");
}

const tagged = (method: string, id: unknown, params: object = {}): object => ({
  jsonrpc: "2.0",
  method,
  params: { ...params, _meta: { "io.modelcontextprotocol/subscriptionId": id } },
});

const acknowledged = (id: unknown, notifications: object): object =>
  tagged("notifications/subscriptions/acknowledged", id, { notifications });

async function listen(it: Conversation, id: string | number, notifications: unknown): Promise<unknown> {
  await it.send(id, "subscriptions/listen", { notifications });
  return it.next();
}

const all = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: [uri, "notes://2"],
};

test.each(legacyRevisions)(
  "in %s updates go to those that subscribed, and to no one else (S-164, S-168, S-169, S-170, R-522)",
  async (revision) => {
    await using it = await converse(revision, addNote);
    it.server.resourceUpdated(uri);
    expect(await it.call("resources/subscribe", { uri })).toMatchObject({ result: {} });
    it.server.resourceUpdated("notes://2");
    it.server.resourceUpdated(uri);
    expect(await it.next()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri },
    });
    expect(await it.call("resources/unsubscribe", { uri })).toMatchObject({ result: {} });
    it.server.resourceUpdated(uri);
    await it.call("ping");
    expect(it.notifications).toEqual([]);
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      expect(await it.call(method, { uri: 7 })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await it.call("subscriptions/listen", { notifications: {} })).toMatchObject({
      error: { code: -32601 },
    });
  },
);

test("without the capability there is nothing to subscribe to (R-522)", async () => {
  await using it = await converse(legacyRevision, addNote, {
    capabilities: { resources: { subscribe: false } },
  });
  const [session] = it.server.sessions();
  expect(session?.capabilities?.resources).toEqual({ listChanged: true });
  expect(await it.call("resources/subscribe", { uri })).toMatchObject({ error: { code: -32601 } });
});

test("hooks are told of subscriptions and may refuse them; one alone is an error (S-166, S-167)", async () => {
  const seen: string[] = [];
  await using it = await converse(legacyRevision, addNote, {
    onSubscribe: (asked) => {
      seen.push(`+${asked}`);
      if (asked !== uri) {
        throw new Error("secret");
      }
    },
    onUnsubscribe: async (asked) => void seen.push(`-${asked}`),
  });
  await it.call("resources/subscribe", { uri });
  expect(await it.call("resources/subscribe", { uri: "notes://2" })).toMatchObject({
    error: { code: -32603, message: "Internal error" },
  });
  await it.call("resources/unsubscribe", { uri });
  expect(seen).toEqual([`+${uri}`, "+notes://2", `-${uri}`]);
  expect(() => new Server({ name: "s", version: "1" }, { onSubscribe: () => {} })).toThrow(McpError);
});

test("a legacy session may watch as many resources as the option says", async () => {
  await using it = await converse(legacyRevision, addNote, { limits: { maxSubscriptions: 1 } });
  expect(await it.call("resources/subscribe", { uri })).toMatchObject({ result: {} });
  expect(await it.call("resources/subscribe", { uri })).toMatchObject({ result: {} });
  expect(await it.call("resources/subscribe", { uri: "notes://2" })).toMatchObject({
    error: { code: -32603 },
  });
});

test("a change before a session is none that the session would be told of, however long changes are collected", async () => {
  const clock = createVirtualClock();
  await using it = await converse(legacyRevision, addNote, { clock, limits: { listChangedDelayMs: 10 } });
  clock.advance(10);
  it.server.addTool({ name: "t" }, () => "");
  it.server.removePrompts("p");
  clock.advance(10);
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
});

test("list changes that the server said it would not tell of are not told (R-170, R-463)", async () => {
  await using it = await converse(legacyRevision, addNote, {
    capabilities: { tools: { listChanged: false } },
  });
  it.server.addTool({ name: "t" }, () => "");
  it.server.removePrompts("p");
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
});

test.each(["a", "1", 1, 0])(
  "a listen with id %j is acknowledged first, then tagged with exactly that id (R-144, R-532, R-534, T-54)",
  async (id) => {
    await using it = await converse(modernRevision, addNote);
    expect(await listen(it, id, all)).toEqual(acknowledged(id, all));
    it.server.removePrompts("p");
    it.server.addPrompt({ name: "q" }, () => "");
    expect(await it.next()).toEqual(tagged("notifications/prompts/list_changed", id));
    it.server.resourceUpdated(uri);
    expect(await it.next()).toEqual(tagged("notifications/resources/updated", id, { uri }));
  },
);

test("only what was asked for is told (R-464, R-523, R-531, R-536)", async () => {
  await using it = await converse(modernRevision, addNote);
  expect(await listen(it, 1, { promptsListChanged: false, resourceSubscriptions: [uri] })).toEqual(
    acknowledged(1, { resourceSubscriptions: [uri] }),
  );
  it.server.addTool({ name: "t" }, () => "");
  it.server.addPrompt({ name: "q" }, () => "");
  it.server.resourceUpdated("notes://2");
  it.server.resourceUpdated(uri);
  expect(await it.next()).toEqual(tagged("notifications/resources/updated", 1, { uri }));
});

test("the filter is reduced to what the capabilities allow, unknown members are dropped (R-532, R-533)", async () => {
  await using it = await converse(modernRevision, addNote, {
    capabilities: { tools: { listChanged: false }, resources: { subscribe: false } },
  });
  expect(await listen(it, 1, { ...all, taskIds: ["x"] })).toEqual(
    acknowledged(1, { promptsListChanged: true, resourcesListChanged: true }),
  );
  it.server.addTool({ name: "t" }, () => "");
  it.server.resourceUpdated(uri);
  it.server.removeResources(uri);
  expect(await it.next()).toEqual(tagged("notifications/resources/list_changed", 1));
});

test("many listens run side by side, and ending one ends no other (R-535, R-537)", async () => {
  await using it = await converse(modernRevision, addNote, { limits: { maxInFlight: 2 } });
  for (let id = 1; id <= 20; id++) {
    expect(await listen(it, id, { promptsListChanged: true })).toEqual(
      acknowledged(id, { promptsListChanged: true }),
    );
  }
  for (let id = 1; id < 20; id++) {
    await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
  }
  // The listens hold no place of those that handlers have.
  expect(await it.call("prompts/get", { name: "p" })).toHaveProperty("result");
  it.server.removePrompts("p");
  expect(await it.next()).toEqual(tagged("notifications/prompts/list_changed", 20));
  await it.call("server/discover");
  expect(it.notifications).toEqual([]);
});

test("there is a limit to listens, with an error that says so", async () => {
  await using it = await converse(modernRevision, addNote, { limits: { maxSubscriptions: 2 } });
  await listen(it, 1, {});
  await listen(it, 2, {});
  expect(await listen(it, 3, {})).toMatchObject({
    id: 3,
    error: {
      code: -32603,
      message: "The limit of 2 subscriptions (maxSubscriptions) is reached",
    },
  });
  expect(await listen(it, 4, { resourceSubscriptions: ["a:", "b:", "c:"] })).toMatchObject({
    error: { code: -32602 },
  });
  await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await listen(it, 5, {})).toEqual(acknowledged(5, {}));
});

test("the default limit is 1024 listens", async () => {
  await using it = await converse(modernRevision, addNote);
  for (let id = 1; id <= 1024; id++) {
    await listen(it, id, {});
  }
  expect(await listen(it, 1025, {})).toMatchObject({ error: { code: -32603 } });
});

test.each([
  undefined,
  7,
  [],
  { toolsListChanged: "yes" },
  { resourcesListChanged: null },
  { resourceSubscriptions: "a:" },
  { resourceSubscriptions: [7] },
])("the filter %j is -32602 (R-530)", async (notifications) => {
  await using it = await converse(modernRevision, addNote);
  expect(await it.call("subscriptions/listen", { notifications })).toMatchObject({ error: { code: -32602 } });
});

test("when the server closes, every listen gets its result, then the cancellation (R-416, R-538, T-02)", async () => {
  await using it = await converse(modernRevision, addNote);
  await listen(it, 1, {});
  await listen(it, "1", {});
  const closed = it.server.close();
  const result = (id: unknown): object => ({
    jsonrpc: "2.0",
    id,
    result: {
      resultType: "complete",
      _meta: {
        "io.modelcontextprotocol/subscriptionId": id,
        "io.modelcontextprotocol/serverInfo": { name: "wire-server", version: "1.0.0" },
      },
    },
  });
  const seen = [await it.next(), await it.next(), await it.next(), await it.next()];
  expect(seen.slice(0, 2)).toEqual([result(1), result("1")]);
  expect(seen.slice(2)).toMatchObject([
    { method: "notifications/cancelled", params: { requestId: 1 } },
    { method: "notifications/cancelled", params: { requestId: "1" } },
  ]);
  expect(await it.next()).toBeUndefined();
  await closed;
});

test("a client that goes away ends its listens at once, without waiting for a drain", async () => {
  await using it = await converse(modernRevision, addNote, { limits: { drainMs: 1_000_000 } });
  await listen(it, 1, all);
  const [session] = it.server.sessions();
  await it.wire.connection.close();
  expect(await session?.closed).toEqual({});
  it.server.resourceUpdated(uri);
});

test("on one connection a legacy session and a listen are told apart (T-35, T-87)", async () => {
  await using it = await converse(legacyRevision, addNote);
  await it.call("resources/subscribe", { uri });
  await it.wire.tell({
    jsonrpc: "2.0",
    id: "L",
    method: "subscriptions/listen",
    params: { notifications: { resourceSubscriptions: ["notes://2"] }, _meta: modern },
  });
  expect(await it.next()).toEqual(acknowledged("L", { resourceSubscriptions: ["notes://2"] }));
  it.server.resourceUpdated(uri);
  it.server.resourceUpdated("notes://2");
  expect(await it.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri },
  });
  expect(await it.next()).toEqual(tagged("notifications/resources/updated", "L", { uri: "notes://2" }));
});

test("changes that come faster than they are read become one, and none is lost", async () => {
  await using it = await converse(modernRevision, addNote);
  await listen(it, 1, { resourceSubscriptions: [uri, "notes://2"] });
  for (let count = 0; count < 100_000; count++) {
    it.server.resourceUpdated(uri);
  }
  it.server.resourceUpdated("notes://2");
  const seen: string[] = [];
  let message: { params?: { uri?: string } };
  do {
    message = (await it.next()) as typeof message;
    seen.push(message.params?.uri ?? "");
  } while (message.params?.uri !== "notes://2");
  expect(seen.length).toBeLessThan(10);
});

test("no change overtakes the acknowledgment, even when middleware holds it up (R-532)", async () => {
  await using it = await converse(modernRevision, addNote);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  it.server.addSendingMiddleware((next) => async (call) => {
    if (call.method === "notifications/subscriptions/acknowledged") {
      await held;
    }
    return next(call);
  });
  await it.send(1, "subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } });
  await it.call("server/discover");
  it.server.resourceUpdated(uri);
  await it.call("server/discover");
  expect(it.notifications).toEqual([]);
  release();
  expect(await it.next()).toEqual(acknowledged(1, { resourceSubscriptions: [uri] }));
  expect(await it.next()).toEqual(tagged("notifications/resources/updated", 1, { uri }));
});

test("a hook that takes its time lets nobody watch more than the option says", async () => {
  const allowed = deferred();
  const hooks = { onSubscribe: () => allowed.promise, onUnsubscribe: () => {} };
  const setUp = (server: Server): void => server.addResource({ uri: "notes://1", name: "one" }, () => "");
  await using conversation = await converse(legacyRevision, setUp, {
    ...hooks,
    limits: { maxSubscriptions: 1 },
  });
  await conversation.send(1, "resources/subscribe", { uri: "notes://1" });
  await conversation.send(2, "resources/subscribe", { uri: "notes://2" });
  expect(await conversation.next()).toMatchObject({ id: 2, error: { code: -32603 } });
  allowed.resolve();
  expect(await conversation.next()).toMatchObject({ id: 1, result: {} });
});

test("subscribing anew while the hook still unsubscribes leaves the resource watched", async () => {
  const allowed = deferred();
  const hooks = { onSubscribe: () => {}, onUnsubscribe: () => allowed.promise };
  await using conversation = await converse(legacyRevision, addNote, hooks);
  await conversation.call("resources/subscribe", { uri });
  await conversation.send(1, "resources/unsubscribe", { uri });
  await conversation.send(2, "resources/subscribe", { uri });
  await conversation.call("ping");
  allowed.resolve();
  const answers = [await conversation.next(), await conversation.next()];
  expect(answers).toMatchObject([
    { id: 1, result: {} },
    { id: 2, result: {} },
  ]);
  conversation.server.resourceUpdated(uri);
  expect(await conversation.next()).toMatchObject({
    method: "notifications/resources/updated",
    params: { uri },
  });
});

test("a listen that is cancelled in the moment it is asked for is no error of anyone (R-412, R-414)", async () => {
  const errors: unknown[] = [];
  await using it = await converse(modernRevision, addNote, { onError: (error) => void errors.push(error) });
  // Middleware that takes its time: the request is over before its handler begins.
  it.server.addReceivingMiddleware((next) => async (request) => {
    await macrotask();
    return next(request);
  });
  for (let id = 0; id < 5; id++) {
    const sent = it.send(id, "subscriptions/listen", { notifications: all });
    await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    await sent;
  }
  it.server.resourceUpdated(uri);
  await it.call("tools/list");
  expect(errors).toEqual([]);
});

test("a subscribe that is cancelled while its hook runs leaves nothing watched", async () => {
  const allowed = deferred();
  const told: string[] = [];
  let ended = (): void => {};
  const undone = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const hooks = {
    onSubscribe: async (asked: string) => {
      told.push(`+${asked}`);
      await allowed.promise;
    },
    onUnsubscribe: (asked: string) => {
      told.push(`-${asked}`);
      ended();
    },
  };
  await using it = await converse(legacyRevision, addNote, hooks);
  await it.send(1, "resources/subscribe", { uri });
  await it.send(2, "resources/subscribe", { uri });
  await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  await it.call("ping");
  allowed.resolve();
  await undone;
  await it.call("ping");
  it.server.resourceUpdated(uri);
  await it.call("ping");
  expect(it.notifications).toEqual([]);
  expect(told).toEqual([`+${uri}`, `-${uri}`]);
});

test("a subscribe that is cancelled changes nothing for a resource that is watched already", async () => {
  const allowed = deferred();
  let hooked = 0;
  const hooks = {
    onSubscribe: () => (++hooked > 1 ? allowed.promise : undefined),
    onUnsubscribe: () => {
      throw new Error("not expected here");
    },
  };
  await using it = await converse(legacyRevision, addNote, hooks);
  await it.call("resources/subscribe", { uri });
  await it.send(1, "resources/subscribe", { uri });
  await it.wire.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await it.call("ping");
  allowed.resolve();
  await it.call("ping");
  it.server.resourceUpdated(uri);
  expect(await it.next()).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
});
