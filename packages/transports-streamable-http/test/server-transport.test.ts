import { createServer } from "node:http";

import { isLocalError, Peer } from "@tenon/jsonrpc2";
import { legacyRevision } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import {
  createMemoryEventStore,
  StreamableServerTransport,
  type StreamableServerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, peerServer } from "./setup.ts";

const url = new URL("http://localhost/mcp");
const clientInfo = { name: "test", version: "1.0.0" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo },
};

function request(method: string, message?: unknown, headers: Record<string, string> = {}): Request {
  return new Request(url, {
    method,
    headers: { ...common, ...headers },
    ...(message === undefined ? {} : { body: JSON.stringify(message) }),
  });
}

/**
 * What somebody may write who wants other sessions than those of the handler: one transport for
 * each, found by its id.
 */
function createRouter(options: StreamableServerOptions = {}): {
  fetch(request: Request): Promise<Response>;
  readonly sessions: Map<string, StreamableServerTransport>;
} {
  const sessions = new Map<string, StreamableServerTransport>();
  const server = peerServer(echo);
  return {
    sessions,
    async fetch(incoming) {
      const id = incoming.headers.get("mcp-session-id");
      if (id !== null) {
        return sessions.get(id)?.fetch(incoming) ?? new Response(null, { status: 404 });
      }
      const transport = new StreamableServerTransport({
        ...options,
        onClosed: () => sessions.delete(transport.sessionId),
      });
      sessions.set(transport.sessionId, transport);
      await server.connect(transport);
      return transport.fetch(incoming);
    },
  };
}

async function opened(
  options: StreamableServerOptions = {},
  auth?: { principal: string },
): Promise<{ transport: StreamableServerTransport; headers: Record<string, string> }> {
  const transport = new StreamableServerTransport(options);
  await peerServer(echo).connect(transport);
  const response = await transport.fetch(request("POST", initialize), { auth });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return { transport, headers: { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" } };
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

test("S-036: sessions of somebody's own are served without the stock handler", async () => {
  const router = createRouter();
  const peers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const transport = new StreamableClientTransport(url, {
        eras: false,
        fetch: (target, init) => router.fetch(new Request(target, init)),
      });
      const connection = await transport.connect();
      const peer = new Peer(connection);
      await peer.call("initialize", initialize.params);
      await peer.notify("notifications/initialized", {});
      return { peer, connection };
    }),
  );
  expect(new Set(peers.map(({ connection }) => connection.sessionId))).toEqual(
    new Set(router.sessions.keys()),
  );
  for (const { peer } of peers) {
    expect(await peer.call("tools/list", {})).toEqual({ method: "tools/list" });
    await peer.close();
  }
  expect(router.sessions.size).toBe(0);
});

test("S-036: the same on node:http, with an id of its owner's choice", async () => {
  const transport = new StreamableServerTransport({ sessionId: "chosen-by-the-owner" });
  await peerServer(echo).connect(transport);
  const http = createServer((incoming, response) => void transport.node(incoming, response));
  const port = await listenOnFreePort(http);
  const address = `http://127.0.0.1:${port}`;
  const response = await fetch(address, {
    method: "POST",
    headers: common,
    body: JSON.stringify(initialize),
  });
  expect(response.headers.get("mcp-session-id")).toBe("chosen-by-the-owner");
  const headers = { ...common, "mcp-session-id": "chosen-by-the-owner" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(ping) });
  expect(await answer.json()).toMatchObject({ id: 1, result: { method: "ping" } });
  await transport.close();
  http.closeAllConnections();
  http.close();
});

test("S-037: it connects once", async () => {
  const transport = new StreamableServerTransport();
  await transport.connect();
  await expect(transport.connect()).rejects.toSatisfy((error) => isLocalError(error, "INVALID_STATE"));
});

test("requests that are not of this session are refused", async () => {
  const { transport, headers } = await opened();
  const status = async (message: Request): Promise<number> => (await transport.fetch(message)).status;
  expect(await status(request("POST", ping))).toBe(400);
  expect(await status(request("POST", initialize))).toBe(400);
  expect(await status(request("POST", ping, { "mcp-session-id": "another" }))).toBe(404);
  expect(await status(request("GET", undefined, { "mcp-session-id": "another" }))).toBe(404);
  expect(await status(request("PUT", ping, headers))).toBe(405);
  expect(await status(request("POST", ping, { ...headers, "content-type": "text/plain" }))).toBe(415);
  expect(await status(request("POST", ping, { ...headers, accept: "text/html" }))).toBe(406);
  expect(await status(request("GET", undefined, { ...headers, accept: "text/html" }))).toBe(406);
  expect(await status(request("POST", ping, { ...headers, "mcp-protocol-version": "1999-01-01" }))).toBe(400);
  expect(await status(request("POST", ping, { ...headers, host: "evil.example" }))).toBe(403);
  expect(await status(request("POST", ping, headers))).toBe(200);
});

test("before initialize there is no session", async () => {
  const transport = new StreamableServerTransport({ sessionId: "early" });
  expect((await transport.fetch(request("POST", ping, { "mcp-session-id": "early" }))).status).toBe(404);
});

test("R-793: it belongs to the principal of its first request", async () => {
  const { transport, headers } = await opened({}, { principal: "alice" });
  const as = async (principal: string | undefined, message: Request): Promise<number> =>
    (await transport.fetch(message, { auth: principal === undefined ? undefined : { principal } })).status;
  expect(await as("bob", request("POST", ping, headers))).toBe(404);
  expect(await as(undefined, request("POST", ping, headers))).toBe(404);
  expect(await as("bob", request("DELETE", undefined, headers))).toBe(404);
  expect(await as("alice", request("POST", ping, headers))).toBe(200);
});

test("DELETE ends the session, its owner is told once, and the store forgets it", async () => {
  let closed = 0;
  const forgotten: string[] = [];
  const store = createMemoryEventStore();
  const { transport, headers } = await opened({
    onClosed: () => closed++,
    eventStore: { ...store, deleteSession: (id) => void forgotten.push(id) },
  });
  expect((await transport.fetch(request("DELETE", undefined, headers))).status).toBe(204);
  expect((await transport.fetch(request("POST", ping, headers))).status).toBe(404);
  expect((await transport.fetch(request("POST", initialize))).status).toBe(400);
  await transport.close();
  expect(closed).toBe(1);
  expect(forgotten).toEqual([transport.sessionId]);
});

test("what was sent while nobody listened is had by coming back", async () => {
  const transport = new StreamableServerTransport({ eventStore: createMemoryEventStore() });
  const peer = await peerServer(echo).connect(transport);
  await (await transport.fetch(request("POST", initialize))).arrayBuffer();
  const headers = { "mcp-session-id": transport.sessionId };
  const first = await transport.fetch(request("GET", undefined, headers));
  const reader = first.body?.getReader();
  const opening = new TextDecoder().decode((await reader?.read())?.value);
  const [lastEventId = ""] = opening.match(/(?<=id: )\S+/) ?? [];
  expect(transport.busy).toBe(true);
  await reader?.cancel();
  expect(transport.busy).toBe(false);
  await peer.notify("notifications/message", { step: 1 });
  await peer.notify("notifications/message", { step: 2 });
  const second = await transport.fetch(
    request("GET", undefined, { ...headers, "last-event-id": lastEventId }),
  );
  await transport.close();
  const text = await second.text();
  expect(text.match(/"step":\d/g)).toEqual(['"step":1', '"step":2']);
});

test("what the server has not read when its session ends is dropped", async () => {
  const transport = new StreamableServerTransport();
  const connection = await transport.connect();
  void transport.fetch(request("POST", initialize));
  await expect.poll(() => transport.busy).toBe(true);
  await transport.close();
  expect(await connection.read()).toBeUndefined();
});

test.each(["", "two words", "é", "line\nbreak"])(
  "an id that no header can carry is refused at once (%j)",
  (sessionId) => {
    expect(() => new StreamableServerTransport({ sessionId })).toThrow(
      expect.objectContaining({ code: "INVALID_STATE" }),
    );
  },
);
