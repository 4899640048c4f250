import { legacyRevision } from "@tenon/test-support";
import { createStatelessHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, modern, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";
const server = peerServer(echo);
const request = (init: RequestInit): Request =>
  new Request(url, { ...init, headers: { host: "localhost", ...(init.headers as Record<string, string>) } });

test("S-022: a handler without sessions serves requests of both eras", async () => {
  await using handler = createStatelessHandler({ getServer: () => server });
  const answer = await handler.fetch(request(modern("tools/list", {}, "new")));
  expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: "new", result: { method: "tools/list" } });
  const legacy = { jsonrpc: "2.0", id: 7, method: "tools/list" };
  const headers = { ...common, "mcp-protocol-version": legacyRevision };
  const old = await handler.fetch(request({ method: "POST", headers, body: JSON.stringify(legacy) }));
  expect(await old.json()).toEqual({ jsonrpc: "2.0", id: 7, result: { method: "tools/list" } });
});

test("R-298, R-368: a handler without sessions opens none, and serves POST alone", async () => {
  await using handler = createStatelessHandler({ getServer: () => server });
  const params = {
    protocolVersion: legacyRevision,
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const opened = await handler.fetch(request({ method: "POST", headers: common, body }));
  expect(opened.status).toBe(200);
  expect(opened.headers.has("mcp-session-id")).toBe(false);
  const got = await handler.fetch(request({ method: "GET", headers: { accept: "text/event-stream" } }));
  expect(got.status).toBe(405);
  expect(got.headers.get("allow")).toBe("POST");
});

test("a handler without sessions that was closed serves nothing any more", async () => {
  const handler = createStatelessHandler({ getServer: () => server });
  await handler.close();
  const response = await handler.fetch(request(modern("tools/list")));
  expect(response.status).toBe(503);
});
