import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { modernRevision } from "@tenon/test-support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { Client } from "../src/entry/client/index.ts";
import { InMemoryTaskStore } from "../src/entry/experimental/tasks/stores/in-memory.ts";
import { InMemoryTransport } from "../src/entry/inMemory.ts";
import { Server } from "../src/entry/server/index.ts";
import { McpServer } from "../src/entry/server/mcp.ts";
import { StreamableHTTPServerTransport } from "../src/entry/server/streamableHttp.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/entry/server/webStandardStreamableHttp.ts";
import type { RequestHandlerExtra } from "../src/entry/shared/protocol.ts";
import type { Transport } from "../src/entry/shared/transport.ts";
import { configure } from "../src/entry/tenon.ts";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from "../src/entry/types.ts";
import { settings } from "../src/shared/settings.ts";

const { probeTimeoutMs } = settings;
beforeAll(() => configure({ probeTimeoutMs: 60_000 }));
afterAll(() => configure({ probeTimeoutMs }));

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const info = { name: "server", version: "1.0.0" };
const done = { content: [] };
const question = {
  method: "elicitation/create",
  params: { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } },
} as const;
const progress = { method: "notifications/progress", params: { progressToken: 0, progress: 1 } } as const;
const log = { method: "notifications/message", params: { level: "info", data: "x" } } as const;

/** A modern client and server; `run` is the handler of the tool, `answer` of its input requests. */
async function connected(
  run: (extra: Extra, server: Server) => unknown,
  answer?: () => unknown,
): Promise<Client> {
  const server = new Server(info, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(CallToolRequestSchema, async (_, extra) => {
    await run(extra, server);
    return done;
  });
  return modernClientOf(server, answer);
}

async function modernClientOf(server: Server, answer: () => unknown = () => {}): Promise<Client> {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "client", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => {
    await answer();
    return { action: "accept", content: {} };
  });
  await client.connect(Object.assign(transport, { _serverParams: {}, pid: 1 }));
  return client;
}

test("notifications of a run that is parked or has ended are dropped, and do not reject", async () => {
  let notify: (() => Promise<void>) | undefined;
  const client = await connected(
    async (extra, server) => {
      const inRun = AsyncLocalStorage.snapshot();
      notify = () =>
        inRun(async () => {
          await server.notification(log);
          await extra.sendNotification(log);
          await extra.sendNotification(progress);
        });
      await extra.sendRequest(question, ElicitResultSchema);
    },
    () => notify?.(),
  );
  await client.setLoggingLevel("debug");
  await client.callTool({ name: "any" });
  expect(await notify?.()).toBeUndefined();
  await client.close();
});

test("a tool whose calls may be tasks runs to its end for a client that knows no tasks", async () => {
  const taskStore = new InMemoryTaskStore();
  const server = new McpServer(info, { taskStore });
  server.experimental.tasks.registerToolTask(
    "work",
    { execution: { taskSupport: "optional" } },
    {
      async createTask(extra) {
        const task = await extra.taskStore.createTask({ pollInterval: 1 });
        await extra.taskStore.updateTaskStatus(task.taskId, "working", "almost");
        await extra.taskStore.storeTaskResult(task.taskId, "completed", {
          content: [{ type: "text", text: "worked" }],
        });
        return { task };
      },
      getTask: (extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: (extra) => extra.taskStore.getTaskResult(extra.taskId) as Promise<CallToolResult>,
    },
  );
  const client = await modernClientOf(server.server);
  const { content, isError } = await client.callTool({ name: "work" });
  expect({ content, isError }).toStrictEqual({
    content: [{ type: "text", text: "worked" }],
    isError: undefined,
  });
  await client.close();
  taskStore.cleanup();
});

test("sendRequest belongs to its own run, wherever it is called", async () => {
  let extra: Extra | undefined;
  let finish: (() => void) | undefined;
  let start: (() => void) | undefined;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const client = await connected((given) => {
    extra = given;
    start?.();
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  const calling = client.callTool({ name: "any" });
  await started;
  expect(await extra?.sendRequest(question, ElicitResultSchema)).toMatchObject({ action: "accept" });
  finish?.();
  expect(await calling).toMatchObject(done);
  await client.close();
});

test("requests of a run that has ended reject at once, those that wait included", async () => {
  let extra: Extra | undefined;
  let waiting: Promise<unknown> | undefined;
  const client = await connected((given, server) => {
    extra = given;
    waiting = server.elicitInput(question.params);
    waiting.catch(() => {});
  });
  await client.callTool({ name: "any" });
  await expect(waiting).rejects.toThrow("the handler has already returned");
  await expect(extra?.sendRequest(question, ElicitResultSchema)).rejects.toThrow("already returned");
  await client.close();
});

const address = "https://mcp.example.com/mcp";
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "any",
    _meta: {
      "io.modelcontextprotocol/protocolVersion": modernRevision,
      "io.modelcontextprotocol/clientInfo": info,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

function headersOf(more: object): Record<string, string> {
  return {
    host: "mcp.example.com",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": modernRevision,
    ...more,
  };
}

function requestOf(body: string | Uint8Array<ArrayBuffer>, more: object = {}): Request {
  const own = { "content-type": "application/json", "mcp-method": "tools/call", "mcp-name": "any" };
  return new Request(address, { method: "POST", headers: headersOf({ ...own, ...more }), body });
}

/** A server over HTTP without sessions. */
async function overHttp(
  handle: (extra: Extra) => CallToolResult,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await serverWith(handle).connect(transport);
  return transport;
}

function serverWith(handle: (extra: Extra) => CallToolResult): Server {
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, (_, extra) => handle(extra));
  return server;
}

test("modern requests over HTTP reach a public host, and with a body that the program has read", async () => {
  const send = async (headers: object, parsedBody?: object): Promise<Response> => {
    const transport = await overHttp(() => done);
    const text = JSON.stringify(call);
    const request = requestOf(parsedBody === undefined ? text : gzipSync(text), headers);
    return transport.handleRequest(request, parsedBody && { parsedBody: call });
  };
  expect((await send({})).status).toBe(200);
  expect((await send({ origin: "https://chat.example.com" })).status).toBe(200);
  expect((await send({ "content-encoding": "gzip", "content-length": "999" }, {})).status).toBe(200);
});

test("a handler gets the address and the headers of the request", async () => {
  const seen: unknown[] = [];
  const handle = ({ requestInfo }: Extra): CallToolResult => {
    seen.push([requestInfo?.url?.searchParams.get("tenant"), requestInfo?.headers["x-own"]]);
    return done;
  };
  const transport = await overHttp(handle);
  const own = { "x-own": "1" };
  const request = new Request(`${address}?tenant=acme`, requestOf(JSON.stringify(call), own));
  expect((await transport.handleRequest(request)).status).toBe(200);

  const server = serverWith(handle);
  const http = createServer((incoming, response) => {
    const stateless = new StreamableHTTPServerTransport();
    void server.connect(stateless as Transport).then(() => stateless.handleRequest(incoming, response));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  const sent = requestOf(JSON.stringify(call), own);
  sent.headers.delete("host");
  const { status } = await fetch(`http://127.0.0.1:${port}/mcp?tenant=acme`, {
    method: "POST",
    headers: sent.headers,
    body: JSON.stringify(call),
  });
  expect(status).toBe(200);
  expect(seen).toStrictEqual([
    ["acme", "1"],
    ["acme", "1"],
  ]);
});

test("a program may describe the sender by an object without a token, as express-jwt does", async () => {
  const cyclic: Record<string, unknown> = { sub: "ada" };
  cyclic["self"] = cyclic;
  // Clerk sets a function.
  for (const auth of [{ sub: "ada", iat: 1 }, cyclic, () => ({ userId: "ada" }), null]) {
    const seen: unknown[] = [];
    const transport = await overHttp(({ authInfo }) => {
      seen.push(authInfo);
      return done;
    });
    const request = requestOf(JSON.stringify(call));
    const { status } = await transport.handleRequest(request, { authInfo: auth as never });
    expect([status, seen]).toStrictEqual([200, [auth ?? undefined]]);
  }
});

test("a GET of a modern client gets a response although the program passes the body that a parser has made", async () => {
  const transport = await overHttp(() => done);
  const request = new Request(address, { headers: headersOf({}) });
  expect((await transport.handleRequest(request, { parsedBody: {} })).status).toBe(405);
});
