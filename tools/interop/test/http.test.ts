import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as SseClientV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport as SseServerV1 } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport as HttpServerV1 } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as ServerV2 } from "@modelcontextprotocol/server";
import { Client } from "@tenon/sdk/client";
import {
  createMemoryEventStore,
  createSSEHandler,
  createStreamableHandler,
  SSEClientTransport,
  StreamableClientTransport,
} from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";
import { z } from "zod";

const info = { name: "interop", version: "1.0.0" };
const sum = { name: "add", arguments: { a: 2, b: 3 } };
const five = [{ type: "text", text: "5" }];

interface Listening extends AsyncDisposable {
  readonly url: URL;
}

async function listen(listener: RequestListener): Promise<Listening> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

function ourServer(): Server {
  const server = new Server(info);
  const number = { type: "number" } as const;
  server.addTool(
    { name: "add", input: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] } },
    async ({ a, b }, context) => {
      await context.progress(1, 2);
      return String(a + b);
    },
  );
  return server;
}

const sessions = {
  stateful: {},
  resumable: { eventStore: createMemoryEventStore() },
  stateless: false,
} as const;

const kinds = ["stateful", "resumable", "stateless"] as const;

test.each(kinds)("the official client v1 over Streamable HTTP, our server %s", async (kind) => {
  const server = ourServer();
  const handler = createStreamableHandler({ getServer: () => server, sessions: sessions[kind] });
  await using listening = await listen((request, response) => void handler.node(request, response));
  const client = new ClientV1(info);
  await client.connect(new HttpV1(listening.url));
  const reports: number[] = [];
  const result = await client.callTool(sum, undefined, {
    onprogress: ({ progress }) => reports.push(progress),
  });
  expect(result.content).toEqual(five);
  expect(reports).toEqual([1]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
  await client.close();
  await handler.close();
});

test.each(kinds.flatMap((kind) => (["legacy", "auto"] as const).map((mode) => ({ kind, mode }))))(
  "the official client v2 in mode $mode over Streamable HTTP, our server $kind",
  async ({ kind, mode }) => {
    const server = ourServer();
    const handler = createStreamableHandler({ getServer: () => server, sessions: sessions[kind] });
    await using listening = await listen((request, response) => void handler.node(request, response));
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new HttpV2(listening.url));
    const reports: number[] = [];
    const result = await client.callTool(sum, { onprogress: ({ progress }) => reports.push(progress) });
    expect(result.content).toEqual(five);
    expect(reports).toEqual([1]);
    await client.close();
    await handler.close();
  },
);

test("the official client v1 over HTTP+SSE, our server", async () => {
  const server = ourServer();
  const handler = createSSEHandler({ getServer: () => server });
  await using listening = await listen((request, response) => void handler.node(request, response));
  const client = new ClientV1(info);
  await client.connect(new SseClientV1(listening.url));
  expect((await client.callTool(sum)).content).toEqual(five);
  await client.close();
  await handler.close();
});

function serverV1(): ServerV1 {
  const server = new ServerV1(info);
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
}

test.each([
  ["stateful", () => crypto.randomUUID() as string],
  ["stateless", undefined],
])("our client over Streamable HTTP, the official server v1 %s", async (_, sessionIdGenerator) => {
  const transports = new Map<string, HttpServerV1>();
  await using listening = await listen((request, response) => {
    void (async () => {
      let transport = transports.get(String(request.headers["mcp-session-id"]));
      if (transport === undefined) {
        const fresh = new HttpServerV1({
          ...(sessionIdGenerator === undefined ? {} : { sessionIdGenerator }),
          onsessioninitialized: (id) => void transports.set(id, fresh),
        });
        transport = fresh;
        await serverV1().connect(fresh);
      }
      await transport.handleRequest(request, response);
    })();
  });
  const client = new Client(info);
  const session = await client.connect(new StreamableClientTransport(listening.url, { eras: false }));
  expect(session.era).toBe("legacy");
  expect((await session.callTool(sum)).content).toEqual(five);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
  await session.close();
});

test.each(["2026-07-28", "2025-11-25"] as const)(
  "our client in revision %s over Streamable HTTP, the official server v2",
  async (revision) => {
    const handler = createMcpHandler(() => {
      const server = new ServerV2(info, { capabilities: { tools: {} } });
      server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
        content: [{ type: "text", text: String(a + b) }],
      }));
      return server;
    });
    const client = new Client(info, { revisions: [revision] });
    const session = await client.connect(
      new StreamableClientTransport("http://localhost/mcp", {
        eras: false,
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );
    expect(session.revision).toBe(revision);
    expect((await session.callTool(sum)).content).toEqual(five);
    await session.close();
  },
);

test.each([
  ["directly", (url: URL) => new SSEClientTransport(url)],
  [
    "by falling back to it (R-218)",
    (url: URL) =>
      new StreamableClientTransport(url, {
        eras: false,
        fallback: (target, options) => new SSEClientTransport(target, options),
      }),
  ],
])("our client over HTTP+SSE, the official server v1: %s", async (_, transportTo) => {
  const transports = new Map<string, SseServerV1>();
  await using listening = await listen((request, response) => {
    void (async () => {
      if (request.method === "GET") {
        const transport = new SseServerV1("/mcp", response);
        transports.set(transport.sessionId, transport);
        await serverV1().connect(transport);
        return;
      }
      const id = new URL(request.url ?? "", "http://localhost").searchParams.get("sessionId") ?? "";
      const transport = transports.get(id);
      if (transport === undefined) {
        response.writeHead(404).end();
      } else {
        await transport.handlePostMessage(request, response);
      }
    })();
  });
  const client = new Client(info);
  const session = await client.connect(transportTo(listening.url));
  expect(session.era).toBe("legacy");
  expect((await session.callTool(sum)).content).toEqual(five);
  await session.close();
});
