import { networkInterfaces } from "node:os";

import { Server } from "@tenon/mcp";
import { Client } from "@tenon/mcp";
import type { Listening } from "@tenon/node";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import type { StreamableHandlerOptions } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { connect, serve } from "./setup.ts";

const tokens: Readonly<Record<string, string>> = { "Bearer a": "alice", "Bearer b": "bob" };

/** Asks for a token, and refuses without one. */
const authenticate: StreamableHandlerOptions["authenticate"] = ({ headers }) => {
  const principal = tokens[headers.get("authorization") ?? ""];
  return principal === undefined ? undefined : { principal };
};

const meta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

async function call(
  { url }: Listening,
  token: string,
  params: object,
): Promise<{ status: number; body: { result?: Record<string, unknown>; error?: { code: number } } }> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: token,
      "mcp-protocol-version": modernRevision,
      "mcp-method": "tools/call",
      "mcp-name": "ask",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ask", arguments: {}, ...params, _meta: meta },
    }),
  });
  const text = await response.text();
  return { status: response.status, body: response.ok ? (JSON.parse(text) as object) : {} };
}

function askingServer(): Server {
  const server = new Server({ name: "asking", version: "1.0.0" });
  server.addTool({ name: "ask" }, async (_, ctx) => {
    const { action } = await ctx.elicit({
      message: "Sure?",
      requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } },
    });
    return `${ctx.auth?.principal ?? "nobody"}: ${action}`;
  });
  return server;
}

test("R-282: a server listens on this machine alone unless it is told otherwise", async () => {
  await using listening = await serve();
  expect(listening.http.address()).toMatchObject({ address: "127.0.0.1" });
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal);
  for (const { address } of others) {
    await expect(fetch(`http://${address}:${listening.url.port}/mcp`)).rejects.toThrow();
  }
});

test("R-797: a server on HTTP asks for a token, and a client that has it is served", async () => {
  await using listening = await serve(undefined, { authenticate });
  await expect(connect(listening.url)).rejects.toMatchObject({ status: 401 });
  await using session = await connect(listening.url, { headers: { authorization: "Bearer a" } });
  expect((await session.callTool({ name: "who" })).content).toEqual([{ type: "text", text: "alice -" }]);
});

test("R-799: without a handshake every request is judged on its own", async () => {
  await using listening = await serve(askingServer(), { authenticate });
  expect((await call(listening, "Bearer a", {})).status).toBe(200);
  expect((await call(listening, "Bearer x", {})).status).toBe(401);
  expect((await call(listening, "Bearer a", {})).status).toBe(200);
});

test("R-792: to have the state of somebody's request is not to be them", async () => {
  await using listening = await serve(askingServer(), { authenticate });
  const { body } = await call(listening, "Bearer a", {});
  const { requestState, inputRequests } = body.result ?? {};
  const [key = ""] = Object.keys(inputRequests as object);
  const retry = { requestState, inputResponses: { [key]: { action: "accept", content: { sure: true } } } };
  expect((await call(listening, "Bearer b", retry)).body.error?.code).toBe(-32602);
  expect((await call(listening, "Bearer x", retry)).status).toBe(401);
  expect((await call(listening, "Bearer a", retry)).body.result).toMatchObject({
    content: [{ type: "text", text: "alice: accept" }],
  });
});

test("what a handler asks its client goes with the request that it serves, never on the session's own stream", async () => {
  await using listening = await serve(askingServer());
  const streams = new Map<string, string>();
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form: () => ({ action: "decline" }) } },
  );
  await using session = await client.connect(
    new StreamableClientTransport(listening.url, {
      eras: false,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
          return response;
        }
        const [mine, theirs] = response.body.tee();
        const of = init.method ?? "";
        void (async () => {
          for await (const text of mine.pipeThrough(new TextDecoderStream())) {
            streams.set(of, `${streams.get(of) ?? ""}${text}`);
          }
        })().catch(() => {});
        return new Response(theirs, response);
      },
    }),
  );
  const result = await session.callTool({ name: "ask" });
  expect(result.content).toEqual([{ type: "text", text: "nobody: decline" }]);
  expect(streams.get("POST")).toContain("elicitation/create");
  expect(streams.get("GET") ?? "").not.toContain("elicitation/create");
});
