import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import {
  createMemoryEventStore,
  createStreamableHandler,
  type StreamableHandler,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Manager } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";

/** A server over HTTP that can forget all its sessions, or stop listening. */
async function served(revision: Revision) {
  let runs = 0;
  let lists = 0;
  const start = (): StreamableHandler => {
    const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision] });
    server.addTool({ name: "count" }, () => String(++runs));
    server.addReceivingMiddleware((next) => (request) => {
      lists += request.method === "tools/list" ? 1 : 0;
      return next(request);
    });
    return createStreamableHandler({ getServer: () => server });
  };
  let handler = start();
  const http = createServer((request, response) => void handler.node(request, response, {}));
  const origin = await originOnFreePort(http);
  const stop = async (): Promise<void> => {
    await handler.close({ drainMs: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => {
      http.close(resolve);
    });
    // Clients in this process see that their connections have ended once the event loop has asked
    // the system.
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
  };
  return {
    url: `${origin}/mcp`,
    runs: () => runs,
    lists: () => lists,
    forget() {
      handler = start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

test.each(bothEras)("tools of a remote server are listed and called (%s)", async (revision) => {
  await using far = await served(revision);
  await using manager = new Manager({
    servers: { far: { type: "http", url: far.url } },
    transports: nodeTransports(),
  });
  expect((await manager.connectAll()).ready).toEqual(["far"]);
  expect(manager.get("far")?.revision).toBe(revision);
  expect((await manager.tools()).map(({ name }) => name)).toEqual(["mcp__far__count"]);
  expect((await manager.callToolByName("mcp__far__count")).content).toMatchObject([{ text: "1" }]);
});

test("a server that has forgotten the session gets another, the call is made again since it was not served, and lists are fetched anew", async () => {
  await using far = await served(legacyRevision);
  await using manager = new Manager({
    servers: { far: { type: "http", url: far.url } },
    transports: nodeTransports(),
  });
  await manager.connectAll();
  await manager.tools();
  await manager.tools();
  expect(far.lists()).toBe(1);
  far.forget();
  expect((await manager.callTool("far", "count")).content).toMatchObject([{ text: "1" }]);
  expect(far.runs()).toBe(1);
  await manager.tools();
  expect(far.lists()).toBe(2);
});

test("a call to a server that does not listen any more has certainly not been delivered", async () => {
  const far = await served(modernRevision);
  await using manager = new Manager({
    servers: { far: { type: "http", url: far.url } },
    transports: nodeTransports(),
  });
  await manager.connectAll();
  await far.stop();
  await expect(manager.callTool("far", "count")).rejects.toMatchObject({
    server: "far",
    phase: "call",
    delivered: "no",
    retryable: true,
  });
  expect(far.runs()).toBe(0);
});

test("a call whose answer had begun is not made again, though the server cannot be reached for the rest of it", async () => {
  let runs = 0;
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [legacyRevision] });
  let begun = (): void => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  server.addTool({ name: "pay" }, async (_, { progress }) => {
    runs++;
    await progress(1);
    return new Promise<string>(() => {});
  });
  const handler = createStreamableHandler({
    getServer: () => server,
    sessions: { eventStore: createMemoryEventStore() },
    limits: { retryMs: 1 },
  });
  const http = createServer((request, response) => void handler.node(request, response, {}));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const reconnect = { maxRetries: 2, initialDelayMs: 1 };
  const transport = (): StreamableClientTransport => new StreamableClientTransport(url, { reconnect });
  await using manager = new Manager({
    servers: { far: { type: "custom", transport } },
  });
  await manager.connectAll();
  const lost = manager.callTool("far", "pay", {}, { onProgress: () => begun() });
  await running;
  http.closeAllConnections();
  http.close();
  await expect(lost).rejects.toMatchObject({ code: "CONNECTION_LOST", delivered: "maybe" });
  expect(runs).toBe(1);
  await handler.close({ drainMs: 0 });
});

test("a call that ran is not made again because a proxy lost the answer and says when to come back", async () => {
  let runs = 0;
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [modernRevision] });
  server.addTool({ name: "pay" }, () => String(++runs));
  const handler = createStreamableHandler({ getServer: () => server });
  const http = createServer((request, response) => {
    if (request.headers["mcp-method"] === "tools/call") {
      // What Varnish says when the first byte of an answer takes too long.
      const fields = { "content-type": "text/html; charset=utf-8", "retry-after": "5" };
      const refuse = response.writeHead.bind(response, 503, fields);
      Object.assign(response, { writeHead: () => refuse() });
    }
    void handler.node(request, response, {});
  });
  const url = `${await originOnFreePort(http)}/mcp`;
  const manager = new Manager({ servers: { far: { type: "http", url } }, transports: nodeTransports() });
  await manager.connectAll();
  await expect(manager.callTool("far", "pay")).rejects.toMatchObject({ delivered: "maybe" });
  expect(runs).toBe(1);
  await manager.close();
  await handler.close({ drainMs: 0 });
  http.closeAllConnections();
  http.close();
});

test("a server that is full for longer than half a minute is not asked again, and the error says when it may be", async () => {
  let refused = 0;
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [modernRevision] });
  server.addTool({ name: "pay" }, () => "paid");
  const handler = createStreamableHandler({ getServer: () => server });
  const http = createServer((request, response) => {
    if (request.headers["mcp-method"] === "tools/call") {
      refused++;
      const error = { jsonrpc: "2.0", id: null, error: { code: -32603, message: "full" } };
      response.writeHead(503, { "content-type": "application/json", "retry-after": "60" });
      response.end(JSON.stringify(error));
      return;
    }
    void handler.node(request, response, {});
  });
  const url = `${await originOnFreePort(http)}/mcp`;
  const manager = new Manager({ servers: { far: { type: "http", url } }, transports: nodeTransports() });
  await manager.connectAll();
  await expect(manager.callTool("far", "pay")).rejects.toMatchObject({
    delivered: "no",
    retryable: true,
    cause: { status: 503, retryAfterMs: 60_000 },
  });
  expect(refused).toBe(1);
  await manager.close();
  await handler.close({ drainMs: 0 });
  http.closeAllConnections();
  http.close();
});
