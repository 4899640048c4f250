import { connectionClosed, Peer, type Connection } from "@tenon/jsonrpc2";
import { createScriptedPeer } from "@tenon/jsonrpc2/testing";
import { writeAccepted } from "@tenon/jsonrpc2/transport";
import { legacyRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json } from "./bad-server.ts";
import { initialize, meta, peerOf } from "./raw-client.ts";
import { echo, listen } from "./setup.ts";

const fail = (): never => {
  throw new Error("a callback failed");
};

test("an onListening that fails costs no stream, and is reported as a warning", async () => {
  let heard = (): void => {};
  const message = new Promise<void>((resolve) => {
    heard = resolve;
  });
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"jsonrpc":"2.0","method":"news"}\n\n');
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} });
    } else {
      response.writeHead(202).end();
    }
  });
  const warnings: string[] = [];
  await using peer = await peerOf(
    server.url,
    { onListening: fail, onWarning: (warning) => warnings.push(warning) },
    () => heard(),
  );
  await initialize(peer);
  await message;
  expect(warnings).toContain("The callback onListening failed: a callback failed");
});

test("an onSessionRestored that fails does not fail the request that found the session gone", async () => {
  await using listening = await listen(echo);
  const warnings: string[] = [];
  const connection = await new StreamableClientTransport(listening.url, {
    eras: false,
    onSessionRestored: fail,
    onWarning: (warning) => warnings.push(warning),
  }).connect();
  await using peer = new Peer(connection);
  await initialize(peer);
  await fetch(listening.url, {
    method: "DELETE",
    headers: { "mcp-session-id": connection.sessionId ?? "" },
  });
  expect(await peer.call("tools/list", {})).toEqual({ method: "tools/list" });
  expect(warnings).toEqual(["The callback onSessionRestored failed: a callback failed"]);
});

test("an onWarning that fails costs no answer", async () => {
  const inputSchema = { type: "object", properties: { x: { type: "number", "x-mcp-header": "X" } } };
  await using server = await badServer(({ id }, response) =>
    json(response, id, { tools: [{ name: "bad", inputSchema }] }),
  );
  await using peer = await peerOf(server.url, { onWarning: fail });
  expect(await peer.call("tools/list", { _meta: meta }, { timeoutMs: 5000 })).toEqual({ tools: [] });
});

test("a fallback that is opened when the client has gone already is closed", async () => {
  await using server = await badServer((_, response) => void response.writeHead(405).end());
  const other = createScriptedPeer();
  let asked = (): void => {};
  const opening = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let open: (connection: Connection) => void = () => {};
  const connection = await new StreamableClientTransport(server.url, {
    eras: false,
    fallback: () => ({
      connect: () => {
        asked();
        return new Promise((resolve) => {
          open = resolve;
        });
      },
    }),
  }).connect();
  const written = connection.write({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  await opening;
  await connection.close();
  open(other.connection);
  await expect(written).rejects.toMatchObject({ code: expect.any(String) as string });
  expect(other.isClosed).toBe(true);
});

test("what broke a fallback is what the client gets to know, after what came before", async () => {
  await using server = await badServer((_, response) => void response.writeHead(405).end());
  const broken = connectionClosed("The cable was cut.");
  const messages = [
    { jsonrpc: "2.0", method: "first" } as const,
    { jsonrpc: "2.0", method: "second" } as const,
  ];
  const fallback = (): { connect(): Promise<Connection> } => ({
    connect: () =>
      Promise.resolve({
        read: () => {
          const next = messages.shift();
          return next === undefined ? Promise.reject(broken) : Promise.resolve(next);
        },
        write: () => writeAccepted,
        close: () => Promise.reject(new Error("broken, too")),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  });
  const connection = await new StreamableClientTransport(server.url, { eras: false, fallback }).connect();
  await connection.write({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  // Whoever reads takes its time.
  await expect.poll(() => messages).toEqual([]);
  expect([await connection.read(), await connection.read()]).toMatchObject([
    { method: "first" },
    { method: "second" },
  ]);
  await expect(connection.read()).rejects.toBe(broken);
});
