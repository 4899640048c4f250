import { createServer } from "node:http";

import { Server } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { createSSEHandler } from "@tenon/transports-sse/server";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Manager, type AuthProvider, type RemoteSpec } from "../src/index.ts";
import { nodeTransports, noAuth, staticToken } from "../src/node.ts";
import { localServer, turns, until } from "./fixture.ts";

test("S-213, S-217, S-218, S-284: connecting twice is connecting once, and what was agreed on is there afterwards", async () => {
  const a = localServer(undefined, { server: { revisions: [legacyRevision], instructions: "Be kind" } });
  await using manager = new Manager({ servers: { a: a.spec } });
  const [one, two] = await Promise.all([manager.connect("a"), manager.connect("a")]);
  expect(two).toBe(one);
  expect(await manager.connect("a")).toBe(one);
  expect(a.connects).toBe(1);
  expect(
    a.requests.filter((method) => method === "initialize" || method === "server/discover").length,
  ).toBeLessThanOrEqual(2);
  expect(one.serverInfo).toEqual({ name: "local", version: "1.0.0" });
  expect(one.serverCapabilities.tools).toEqual({ listChanged: true });
  expect(one.instructions).toBe("Be kind");
});

test("S-213, S-219: simultaneous calls get their own answers", async () => {
  const a = localServer();
  await using manager = new Manager({ servers: { a: a.spec }, policy: { limits: { maxInFlight: 64 } } });
  await manager.connectAll();
  const texts = Array.from({ length: 64 }, (_, index) => `text ${index}`);
  const results = await Promise.all(texts.map((text) => manager.callTool("a", "echo", { text })));
  expect(results.map(({ content }) => content[0])).toEqual(texts.map((text) => ({ type: "text", text })));
});

test("S-220, S-223: a server that is gone is no longer connected, and that is told once", async () => {
  const a = localServer();
  await using manager = new Manager({ servers: { a: a.spec }, reconnect: { maxRetries: 0 } });
  await manager.connectAll();
  const states: string[] = [];
  manager.on("state", ({ to }) => states.push(to));
  await a.crash();
  await until(() => manager.get("a") === undefined && states.at(-1) === "failed");
  await turns(10);
  expect(states).toEqual(["reconnecting", "failed"]);
});

test("S-222: a listener that throws keeps no answer from coming", async () => {
  const a = localServer(undefined, { server: { revisions: [legacyRevision] } });
  const errors: unknown[] = [];
  await using manager = new Manager({
    servers: { a: a.spec },
    logger: { warn: (fields) => errors.push(fields) },
  });
  manager.on("list_changed", () => {
    throw new Error("listener");
  });
  await manager.connectAll();
  a.server.addTool({ name: "new" }, () => "");
  await until(() => errors.length > 0);
  expect((await manager.callTool("a", "echo", { text: "still" })).content).toMatchObject([{ text: "still" }]);
});

/** One server over both HTTP transports, and the `Authorization` of every request. */
async function overHttp(type: RemoteSpec["type"]) {
  const seen: (string | undefined)[] = [];
  const server = new Server({ name: "far", version: "1.0.0" });
  server.addTool({ name: "hello" }, () => "hello");
  const handler =
    type === "sse"
      ? createSSEHandler({ getServer: () => server })
      : createStreamableHandler({ getServer: () => server });
  const http = createServer((request, response) => {
    seen.push(request.headers.authorization);
    void handler.node(request, response, {});
  });
  const origin = await originOnFreePort(http);
  return {
    seen,
    url: `${origin}/sse`,
    async [Symbol.asyncDispose]() {
      await handler.close({ drainMs: 0 });
      http.closeAllConnections();
      http.close();
    },
  };
}

test.each(["http", "sse"] as const)(
  "S-215, S-241, S-242, S-244, S-245: %s servers are asked with what the auth provider says for every request",
  async (type) => {
    await using far = await overHttp(type);
    let count = 0;
    const counting: AuthProvider = { headers: () => ({ authorization: `count ${++count}` }) };
    const expected = new Map<AuthProvider | undefined, (string | undefined)[]>([
      [undefined, [undefined]],
      [noAuth, [undefined]],
      [staticToken("abc"), ["Bearer abc"]],
    ]);
    for (const [auth, headers] of expected) {
      far.seen.length = 0;
      await using manager = new Manager({
        servers: { far: { type, url: far.url, auth } },
        transports: nodeTransports(),
      });
      await manager.connectAll();
      expect((await manager.callToolByName("mcp__far__hello")).content).toMatchObject([{ text: "hello" }]);
      expect([...new Set(far.seen)]).toEqual(headers);
    }
    far.seen.length = 0;
    await using manager = new Manager({
      servers: { far: { type, url: far.url, auth: counting } },
      transports: nodeTransports(),
    });
    await manager.connectAll();
    await manager.callTool("far", "hello");
    expect(new Set(far.seen).size).toBe(far.seen.length);
    expect(far.seen.length).toBeGreaterThan(1);
  },
);

test("S-243: an auth provider that fails makes the connection fail", async () => {
  await using far = await overHttp("http");
  const auth: AuthProvider = { headers: () => Promise.reject(new Error("no token today")) };
  await using manager = new Manager({
    servers: { far: { type: "http", url: far.url, auth } },
    transports: nodeTransports(),
  });
  const { failed } = await manager.connectAll();
  expect(failed.get("far")).toMatchObject({
    code: "CONNECT_FAILED",
    message: expect.stringContaining("no token today"),
  });
  expect(far.seen).toEqual([]);
});
