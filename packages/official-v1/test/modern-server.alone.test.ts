import { AsyncLocalStorage } from "node:async_hooks";
import { gzipSync } from "node:zlib";

import { modernRevision } from "@tenon/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Client } from "../src/entry/client/index.ts";
import { InMemoryTransport } from "../src/entry/inMemory.ts";
import { Server } from "../src/entry/server/index.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/entry/server/webStandardStreamableHttp.ts";
import type { RequestHandlerExtra } from "../src/entry/shared/protocol.ts";
import { configure } from "../src/entry/tenon.ts";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
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
  answer: () => unknown = () => {},
): Promise<Client> {
  const server = new Server(info, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(CallToolRequestSchema, async (_, extra) => {
    await run(extra, server);
    return done;
  });
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

test("modern requests over HTTP reach a public host, and with a body that the program has read", async () => {
  const call = async (headers: object, parsedBody?: object): Promise<Response> => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, () => done);
    const transport = new WebStandardStreamableHTTPServerTransport();
    await server.connect(transport);
    const body = {
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
    const text = JSON.stringify(body);
    const request = new Request("https://mcp.example.com/mcp", {
      method: "POST",
      headers: {
        host: "mcp.example.com",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": modernRevision,
        "mcp-method": "tools/call",
        "mcp-name": "any",
        ...headers,
      },
      body: parsedBody === undefined ? text : gzipSync(text),
    });
    return transport.handleRequest(request, parsedBody && { parsedBody: body });
  };
  expect((await call({})).status).toBe(200);
  expect((await call({ origin: "https://chat.example.com" })).status).toBe(200);
  expect((await call({ "content-encoding": "gzip", "content-length": "999" }, {})).status).toBe(200);
});
