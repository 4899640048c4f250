import { createScriptedPeer } from "@tenon/jsonrpc2/testing";
import { Client, Server, type Change } from "@tenon/mcp";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { macrotask } from "./asking.ts";
import { converse, legacyRevisions, type Conversation } from "./conversation.ts";
import { initialize, modern, request } from "./wire.ts";

const idKey = "io.modelcontextprotocol/subscriptionId";
const uri = "notes://1";

/** Opens a listen for everything, and waits until it is acknowledged. */
async function listen(it: Conversation, id: number): Promise<void> {
  const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
  await it.send(id, "subscriptions/listen", { notifications });
  expect(await it.next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
}

test("progress and logs of a request carry no tag of a listen that runs beside it (R-536)", async () => {
  const setUp = (server: Server): void => {
    server.addResource({ uri, name: "one" }, () => "one");
    server.addTool({ name: "busy" }, async (_, ctx) => {
      await ctx.progress(1, 2);
      await ctx.log("info", "half way");
      server.resourceUpdated(uri);
      return "done";
    });
  };
  await using it = await converse(modernRevision, setUp, { logging: true });
  await listen(it, 1);
  const meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" };
  expect(await it.call("tools/call", { name: "busy" }, meta)).toHaveProperty("result");
  const told = it.notifications as { method: string; params: { _meta?: Record<string, unknown> } }[];
  const tags = told.map(({ method, params }) => [method, params._meta?.[idKey]] as const);
  expect(tags.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ["notifications/message", undefined],
    ["notifications/progress", undefined],
    ["notifications/resources/updated", 1],
  ]);
});

test("a server cancels nothing but its listens: a call that it ends by a limit or an error is answered (R-416)", async () => {
  const setUp = (server: Server): void => {
    server.addTool({ name: "fail" }, () => {
      throw new Error("secret");
    });
    server.addTool(
      { name: "hang" },
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
  };
  await using it = await converse(modernRevision, setUp, {
    onError: () => {},
    limits: { handlerTimeoutMs: 1 },
  });
  await listen(it, 1);
  expect(await it.call("tools/call", { name: "fail" })).toHaveProperty("result");
  expect(await it.call("tools/call", { name: "hang" })).toMatchObject({ error: { code: -32603 } });
  await it.send(2, "tools/call", { name: "hang" });
  const closing = it.server.close({ drainMs: 0 });
  const rest: { id?: unknown; method?: string; params?: { requestId?: unknown } }[] = [];
  for (let message = await it.next(); message !== undefined; message = await it.next()) {
    rest.push(message as (typeof rest)[number]);
  }
  await closing;
  const cancelled = rest.filter(({ method }) => method === "notifications/cancelled");
  expect(cancelled.map(({ params }) => params?.requestId)).toEqual([1]);
});

test.each(legacyRevisions)(
  "a client that disconnects is told of nothing more, and its watching is forgotten, in %s (S-168)",
  async (revision) => {
    const server = new Server({ name: "server", version: "1.0.0" }, { limits: { listChangedDelayMs: 0 } });
    server.addResource({ uri, name: "one" }, () => "one");
    const open = async (): Promise<{ heard: unknown[]; leave(): Promise<void> }> => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      const connection = await here.connect();
      const heard: unknown[] = [];
      for (const message of [initialize(revision), request(1, "resources/subscribe", { uri })]) {
        await connection.write(message as never);
        await connection.read();
        await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
      }
      void (async () => {
        for (let next = await connection.read(); next !== undefined; next = await connection.read()) {
          heard.push(next);
        }
      })();
      return { heard, leave: () => connection.close() };
    };
    const stays = await open();
    const leaves = await open();
    expect([...server.sessions()]).toHaveLength(2);
    const [, leaving] = [...server.sessions()];
    await leaves.leave();
    await leaving?.closed;
    expect([...server.sessions()]).toHaveLength(1);
    server.resourceUpdated(uri);
    await macrotask();
    expect(stays.heard).toHaveLength(1);
    expect(leaves.heard).toEqual([]);
    await server.close({ drainMs: 0 });
  },
);

test("a client tells its listens apart by the id, whose type counts, and changes of others reach nobody (R-535, R-258)", async () => {
  const peer = createScriptedPeer();
  const connecting = new Client({ name: "c", version: "1" }, { revisions: [modernRevision] }).connect({
    connect: async () => peer.connection,
  });
  const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true } };
  const supportedVersions = [modernRevision];
  peer.answer(await peer.nextRequest(), { resultType: "complete", supportedVersions, capabilities });
  await using session = await connecting;
  const heard: Record<string, string[]> = { one: [], two: [] };
  const ids: unknown[] = [];
  const tell = (method: string, id: unknown, params: object = {}): void =>
    peer.send({
      jsonrpc: "2.0",
      method: `notifications/${method}`,
      params: { ...params, _meta: { [idKey]: id } },
    });
  for (const name of ["one", "two"]) {
    const listening = session.listen(
      { toolsListChanged: true, promptsListChanged: true },
      { onChange: ({ method }: Change) => heard[name]?.push(method) },
    );
    const { id } = await peer.nextRequest();
    ids.push(id);
    tell("subscriptions/acknowledged", id, { notifications: { toolsListChanged: true } });
    await listening;
  }
  tell("tools/list_changed", ids[1]);
  tell("prompts/list_changed", ids[0]);
  tell("tools/list_changed", String(ids[0]));
  tell("tools/list_changed", "unknown");
  await macrotask();
  expect(heard).toEqual({
    one: ["notifications/prompts/list_changed"],
    two: ["notifications/tools/list_changed"],
  });
});

const kinds = [
  [
    "tools",
    (server: Server) => server.addTool({ name: "n" }, () => ""),
    (server: Server) => server.removeTools("n"),
  ],
  [
    "prompts",
    (server: Server) => server.addPrompt({ name: "n" }, () => ""),
    (server: Server) => server.removePrompts("n"),
  ],
  [
    "resources",
    (server: Server) => server.addResource({ uri: "x:n", name: "n" }, () => ""),
    (server: Server) => server.removeResources("x:n"),
  ],
  [
    "resources",
    (server: Server) => server.addResourceTemplate({ uriTemplate: "x:{n}", name: "n" }, () => ""),
    (server: Server) => server.removeResourceTemplates("x:{n}"),
  ],
] as const;

test.each(kinds)(
  "adding and removing %s announces exactly that list (S-171, case %#)",
  async (list, add, remove) => {
    await using it = await converse(legacyRevision, () => {}, {
      capabilities: { tools: true, prompts: true, resources: true },
    });
    for (const act of [add, remove]) {
      act(it.server);
      expect(await it.next()).toEqual({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
    }
    await it.call("ping");
    expect(it.notifications).toEqual([]);
  },
);

test("requests of several conversations interleave on one connection, each answered for itself (R-148)", async () => {
  const waiting = new Map<string, (text: string) => void>();
  await using it = await converse(modernRevision, (server) => {
    server.addTool(
      { name: "wait", input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] } },
      ({ key }, { client }) =>
        new Promise<string>((resolve) =>
          waiting.set(key, (text) => resolve(`${client.info?.name ?? ""} ${text}`)),
        ),
    );
  });
  const infoKey = "io.modelcontextprotocol/clientInfo";
  for (const [id, key] of [
    [1, "a"],
    [2, "b"],
    [3, "c"],
  ] as const) {
    const _meta = { ...modern, [infoKey]: { name: `client-${key}`, version: "1" } };
    await it.wire.tell(request(id, "tools/call", { name: "wait", arguments: { key }, _meta }));
  }
  await macrotask();
  for (const [id, key] of [
    [2, "b"],
    [3, "c"],
    [1, "a"],
  ] as const) {
    waiting.get(key)?.(`answer ${key}`);
    expect(await it.next()).toMatchObject({
      id,
      result: { content: [{ text: `client-${key} answer ${key}` }] },
    });
  }
});
