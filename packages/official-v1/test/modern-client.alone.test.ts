import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Connection, Message } from "@tenon/jsonrpc2/core";
import { MessageQueue } from "@tenon/jsonrpc2/transport";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";

import { lend } from "../src/client/lend.ts";
import { Client } from "../src/entry/client/index.ts";
import { InMemoryTaskStore } from "../src/entry/experimental/tasks/stores/in-memory.ts";
import { InMemoryTransport } from "../src/entry/inMemory.ts";
import { Server } from "../src/entry/server/index.ts";
import { McpServer } from "../src/entry/server/mcp.ts";
import type { RequestOptions } from "../src/entry/shared/protocol.ts";
import { configure } from "../src/entry/tenon.ts";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ResourceUpdatedNotificationSchema,
  type CallToolResult,
  type ClientCapabilities,
  type Notification,
} from "../src/entry/types.ts";
import { linkOf } from "../src/shared/engine.ts";
import type { Internals } from "../src/shared/internals.ts";
import { settings } from "../src/shared/settings.ts";

// The tests have the timeout that programs have; only the code is loaded before.
beforeAll(async () => {
  const { probeTimeoutMs } = settings;
  configure({ probeTimeoutMs: 60_000 });
  await (await connected()).client.close();
  configure({ probeTimeoutMs });
});

/** A client that takes its transport for one of a child process, where it tries the modern era. */
async function connected(
  capabilities: ClientCapabilities = {},
): Promise<{ readonly client: Client; readonly server: Server; readonly transport: InMemoryTransport }> {
  const server = new Server(
    { name: "server", version: "1.0.0" },
    { capabilities: { resources: { listChanged: true, subscribe: true }, tools: { listChanged: true } } },
  );
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: JSON.stringify(server.getClientCapabilities()) }],
  }));
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "client", version: "1.0.0" }, { capabilities });
  await client.connect(Object.assign(transport, { _serverParams: {}, pid: 1 }));
  expect(linkOf(client as unknown as Internals)?.session).toBeDefined();
  return { client, server, transport };
}

/** Loses the requests of a method, until the returned function is called. */
function losing(transport: InMemoryTransport, method: string): () => void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    "method" in message && message.method === method ? Promise.resolve() : send(message, options);
  return () => {
    transport.send = send;
  };
}

test("a client uses the modern era of a server whose lists change, and gets updates of resources", async () => {
  const { client, server } = await connected();
  const updates: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updates.push(params.uri),
  );
  await client.subscribeResource({ uri: "a:b" });
  await client.subscribeResource({ uri: "a:b" });
  await server.sendResourceUpdated({ uri: "a:b" });
  await expect.poll(() => updates).toStrictEqual(["a:b"]);
  await client.unsubscribeResource({ uri: "a:b" });
  await client.close();
});

test("a program gets results as before, without what only modern results have", async () => {
  const { client, server } = await connected();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [], _meta: { own: 1 } }));
  expect(await client.callTool({ name: "any" })).toStrictEqual({ content: [{ type: "text", text: "{}" }] });
  expect(await client.listTools()).toStrictEqual({ tools: [], _meta: { own: 1 } });
  await client.close();
});

test("programs send and handle methods that the protocol does not have", async () => {
  const { client, server } = await connected();
  const search = z.object({ method: z.literal("acme/search"), params: z.object({ q: z.string() }) });
  server.setRequestHandler(search, ({ params }) => ({ found: params.q }));
  const result = z.object({ found: z.string() });
  expect(await client.request({ method: "acme/search", params: { q: "x" } }, result)).toStrictEqual({
    found: "x",
  });
  const other = client.request({ method: "acme/other" }, result);
  await expect(other).rejects.toMatchObject({ code: -32601 });
  server.fallbackRequestHandler = ({ method }) => Promise.resolve({ found: method });
  expect(await client.request({ method: "acme/other" }, result)).toStrictEqual({ found: "acme/other" });
  await client.close();
});

test("programs send and handle notifications that the protocol does not have", async () => {
  const { client, server } = await connected();
  const [atClient, atServer]: [Notification[], Notification[]] = [[], []];
  client.fallbackNotificationHandler = (notification) => Promise.resolve(void atClient.push(notification));
  server.fallbackNotificationHandler = (notification) => Promise.resolve(void atServer.push(notification));
  server.setRequestHandler(CallToolRequestSchema, async (_, { sendNotification }) => {
    await sendNotification({ method: "acme/found", params: { count: 1 } });
    await server.notification({ method: "acme/done" });
    return { content: [] };
  });
  await client.callTool({ name: "any" });
  await client.notification({ method: "acme/seen", params: { count: 1 } });
  await expect.poll(() => atServer).toHaveLength(1);
  expect(atClient).toMatchObject([{ method: "acme/found", params: { count: 1 } }, { method: "acme/done" }]);
  expect(atServer).toStrictEqual([{ jsonrpc: "2.0", method: "acme/seen", params: { count: 1 } }]);
  await client.close();
});

test("a client uses the tasks of a server, which only older protocol versions have", async () => {
  const taskStore = new InMemoryTaskStore();
  const server = new McpServer(
    { name: "server", version: "1.0.0" },
    { taskStore, capabilities: { tasks: { requests: { tools: { call: {} } } } } },
  );
  server.experimental.tasks.registerToolTask(
    "research",
    { execution: { taskSupport: "required" } },
    {
      async createTask(extra) {
        const task = await extra.taskStore.createTask({ pollInterval: 1 });
        await extra.taskStore.storeTaskResult(task.taskId, "completed", {
          content: [{ type: "text", text: "found" }],
        });
        return { task };
      },
      getTask: (extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: (extra) => extra.taskStore.getTaskResult(extra.taskId) as Promise<CallToolResult>,
    },
  );
  let initialized = 0;
  server.server.oninitialized = () => void initialized++;
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "client", version: "1.0.0" });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(Object.assign(transport, { _serverParams: {}, pid: 1 }));
  await client.listTools();
  const messages = [];
  for await (const message of client.experimental.tasks.callToolStream({ name: "research" })) {
    messages.push(message);
  }
  expect(messages.at(-1)).toMatchObject({ type: "result", result: { content: [{ text: "found" }] } });
  expect(initialized).toBe(1);
  expect(errors).toStrictEqual([]);
  await client.close();
  taskStore.cleanup();
});

test("a client reports no deviation that it tolerates, as the original does", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { capabilities: { tools: {} } });
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const send = far.send.bind(far);
  far.send = (message, options) =>
    "result" in message && "supportedVersions" in message.result
      ? send({ ...message, result: { ...message.result, instructions: 1 } }, options)
      : send(message, options);
  const client = new Client({ name: "client", version: "1.0.0" });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(Object.assign(transport, { _serverParams: {}, pid: 1 }));
  expect(linkOf(client as unknown as Internals)?.session).toBeDefined();
  expect(errors).toStrictEqual([]);
  await client.close();
});

test("ping and subscribe keep to their timeout and signal, and a failed subscribe can be undone or repeated", async () => {
  const { client, transport } = await connected();
  const findPings = losing(transport, "server/discover");
  await expect(client.ping({ timeout: 1 })).rejects.toMatchObject({ code: -32001, data: { timeout: 1 } });
  findPings();
  const find = losing(transport, "subscriptions/listen");
  await expect(client.subscribeResource({ uri: "a:b" }, { timeout: 1 })).rejects.toMatchObject({
    code: -32001,
  });
  const abort = new AbortController();
  const waiting = client.subscribeResource({ uri: "a:c" }, { signal: abort.signal });
  const undone = client.unsubscribeResource({ uri: "a:c" });
  abort.abort("enough");
  await expect(waiting).rejects.toMatchObject({
    code: -32001,
    message: expect.stringContaining("enough") as string,
  });
  await undone;
  find();
  await client.subscribeResource({ uri: "a:b" });
  await client.close();
});

test("a level that does not exist is refused, and later requests do not name it", async () => {
  const { client } = await connected();
  await expect(client.setLoggingLevel("warn" as never)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('got "warn"') as string,
  });
  expect(await client.callTool({ name: "any" })).toStrictEqual({ content: [{ type: "text", text: "{}" }] });
  await client.close();
});

test("a request has a progress token only if the program wants progress", async () => {
  const { client, server } = await connected();
  server.setRequestHandler(CallToolRequestSchema, (_, { _meta }) => ({
    content: [{ type: "text", text: String(_meta?.progressToken !== undefined) }],
  }));
  const asks = async (options?: RequestOptions): Promise<unknown> =>
    (await client.callTool({ name: "any" }, undefined, options)).content;
  expect(await asks()).toMatchObject([{ text: "false" }]);
  expect(await asks({ onprogress: () => {} })).toMatchObject([{ text: "true" }]);
  await client.close();
});

test("a program gets notifications as before, without those that only modern servers send", async () => {
  const { client, server } = await connected();
  const notified: Notification[] = [];
  client.fallbackNotificationHandler = (notification) => Promise.resolve(void notified.push(notification));
  await client.subscribeResource({ uri: "a:b" });
  await server.sendResourceUpdated({ uri: "a:b" });
  await expect.poll(() => notified).toHaveLength(1);
  expect(notified).toStrictEqual([
    { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:b" } },
  ]);
  await client.close();
});

test("a client that only opens web pages declares no forms", async () => {
  const { client } = await connected({ elicitation: { url: {} } });
  const { content } = await client.callTool({ name: "any" });
  expect(JSON.parse((content as [{ text: string }])[0].text)).toMatchObject({ elicitation: { url: {} } });
  expect((content as [{ text: string }])[0].text).not.toContain("form");
  await client.close();
});

function recorded(): {
  readonly inner: Connection;
  readonly queue: MessageQueue;
  readonly written: unknown[];
} {
  const queue = new MessageQueue();
  const written: unknown[] = [];
  const inner: Connection = {
    read: () => queue.read(),
    write: (message) => Promise.resolve(void written.push(message)),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { inner, queue, written };
}

test("a connection that goes back has no listens left, and its owner gets nothing of them", async () => {
  const { inner, queue, written } = recorded();
  const { lent, back } = lend(inner);
  await lent.write({ jsonrpc: "2.0", id: 2, method: "subscriptions/listen" });
  const [{ id }] = written as [{ id: number }];
  const reading = lent.read();
  const owner = back();
  expect(await reading).toBeUndefined();
  expect(written[1]).toStrictEqual({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id },
  });
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  void queue.put({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { _meta, notifications: {} },
  });
  void queue.put({ jsonrpc: "2.0", id, result: { _meta } });
  void queue.put({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await owner.read()).toMatchObject({ id: 1 });
});

test("a lent connection keeps no message that it has delivered", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { inner, queue } = recorded();
  const { lent } = lend(inner);
  const read = async (): Promise<WeakRef<object>> => {
    const message: Message = { jsonrpc: "2.0", method: "notifications/message" };
    void queue.put(message);
    await lent.read();
    return new WeakRef(message);
  };
  const messages = [await read(), await read(), await read()];
  const waiting = lent.read();
  await new Promise(setImmediate);
  collect();
  expect(messages.map((each) => each.deref())).toStrictEqual([undefined, undefined, undefined]);
  queue.end();
  await waiting;
});
