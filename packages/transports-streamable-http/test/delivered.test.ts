import type { ServerResponse } from "node:http";

import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

/**
 * A legacy server that begins the answer to `tools/call` with an event and then loses the
 * connection; the rest is asked for by GET.
 */
async function forgetful(onRest: (response: ServerResponse, server: Bad) => void): Promise<Bad> {
  const server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET" && request.headers["last-event-id"] !== undefined) {
      onRest(response, server);
    } else if (request.method !== "POST") {
      response.writeHead(405).end();
    } else if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("id: 1\nretry: 1\ndata: \n\n", () => request.socket.destroy());
    } else if (id === undefined) {
      response.writeHead(202).end();
    } else {
      const info = {
        protocolVersion: legacyRevision,
        capabilities: {},
        serverInfo: { name: "x", version: "1" },
      };
      json(response, id, info, { "mcp-session-id": "s" });
    }
  });
  return server;
}

test("a call whose answer had begun may have run, though the server cannot be reached for the rest", async () => {
  await using bad = await forgetful((response, server) => {
    server.deafen();
    response.socket?.destroy();
  });
  await using peer = await peerOf(bad.url, { reconnect: { maxRetries: 3, initialDelayMs: 1 } });
  await initialize(peer);
  await expect(peer.call("tools/call", { name: "pay" })).rejects.toMatchObject({
    code: "NETWORK",
    delivered: "maybe",
    cause: { code: "NETWORK", delivered: "no" },
  });
});

test.each([
  [404, "SESSION_LOST"],
  [403, "STATUS"],
])(
  "a call whose answer had begun may have run, though the rest of it is refused with %d",
  async (status, code) => {
    await using server = await forgetful((response) => response.writeHead(status).end());
    await using peer = await peerOf(server.url);
    await initialize(peer);
    await expect(peer.call("tools/call", { name: "pay" })).rejects.toMatchObject({
      code,
      delivered: "maybe",
    });
  },
);

/**
 * A server that runs what it is asked and is then cut off by what stands before it, or refuses it.
 */
async function refusing(headers: Record<string, string>, body: string): Promise<Bad> {
  return badServer(({ id, method }, response, request) => {
    if (method === "tools/call") {
      response.writeHead(503, { "retry-after": "5", ...headers }).end(body);
    } else if (request.method !== "POST" || id === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
    } else {
      json(response, id, {
        protocolVersion: legacyRevision,
        capabilities: {},
        serverInfo: { name: "x", version: "1" },
      });
    }
  });
}

test.each([
  ["a page of a proxy", { "content-type": "text/html" }, "<h1>Error 503 Backend fetch failed</h1>", "maybe"],
  ["a gateway's JSON", { "content-type": "application/json" }, '{"message":"Service Unavailable"}', "maybe"],
  ["nothing", {}, "", "maybe"],
  [
    "a message of the server",
    { "content-type": "application/json" },
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"The server is shutting down"}}',
    "no",
  ],
] as const)(
  "a call refused with 503 and Retry-After, by %s, may have run unless the server itself says so",
  async (_, headers, body, delivered) => {
    await using server = await refusing(headers, body);
    await using peer = await peerOf(server.url);
    await initialize(peer);
    await expect(peer.call("tools/call", { name: "pay" })).rejects.toMatchObject({
      code: "STATUS",
      status: 503,
      delivered,
    });
  },
);
