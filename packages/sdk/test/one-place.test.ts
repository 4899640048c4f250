import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { encode, wrapTransport, type Outgoing } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { Revision } from "@tenon/protocol";
import { listenOnFreePort } from "@tenon/test-support/http";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { createSSEHandler } from "@tenon/transports-sse/server";
import { expect, onTestFinished, test } from "vitest";

import * as sdk from "../src/index.ts";
import { shapes } from "./shapes.ts";

const root = join(import.meta.dirname, "../../..");

test("client and server run in one process, with no timer but those of a virtual clock, and the same messages each time (S-003)", async () => {
  const run = async (): Promise<readonly string[]> => {
    const clock = createVirtualClock();
    const [near, far] = createInMemoryTransports();
    const server = new sdk.Server({ name: "server", version: "1.0.0" }, { clock });
    server.addTool({ name: "hello" }, () => "world");
    await server.connect(far);
    const wire: string[] = [];
    const note = <M extends object>(message: M): M => {
      wire.push(encode(message as Outgoing));
      return message;
    };
    const client = new sdk.Client({ name: "client", version: "1.0.0" }, { clock });
    const session = await client.connect(wrapTransport(near, { onRead: note, onWrite: note }));
    await session.callTool({ name: "hello" });
    await session.close();
    await server.close();
    expect(clock.timers).toBe(0);
    return wire;
  };
  const first = await run();
  expect(first.length).toBeGreaterThan(3);
  expect(await run()).toEqual(first);
});

test("client, server and their errors come from one entry; JSON Schema and peers have entries of their own (S-006)", () => {
  const names = Object.keys(sdk);
  expect(names).toEqual(expect.arrayContaining(["Client", "Server", "McpError", "ToolError", "RpcError"]));
  expect(names).not.toContain("Peer");
  expect(names).not.toContain("compile");
});

test.each([
  ["2025-03-26", "stdio"],
  ["2025-03-26", "GET"],
  ["2024-11-05", "stdio"],
] as const)("a server serves %s over %s (S-009)", async (revision: Revision, name) => {
  const server = new sdk.Server({ name: "server", version: "1.0.0" });
  server.addTool({ name: "hello" }, () => "world");
  const endpoint = shapes[name]?.serve(server) ?? expect.fail(name);
  const { transport } = await endpoint.client();
  const client = new sdk.Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(transport);
  expect(session.revision).toBe(revision);
  expect((await session.callTool({ name: "hello" })).content).toEqual([{ type: "text", text: "world" }]);
  await session.close();
  await endpoint.close();
});

test("a server serves 2024-11-05 over HTTP with SSE (S-009)", async () => {
  const server = new sdk.Server({ name: "server", version: "1.0.0" });
  server.addTool({ name: "hello" }, () => "world");
  const handler = createSSEHandler({ getServer: () => server });
  const http = createServer((request, response) => void handler.node(request, response, {}));
  const port = await listenOnFreePort(http);
  onTestFinished(async () => {
    await handler.close({ drainMs: 0 });
    http.closeAllConnections();
    http.close();
  });
  const client = new sdk.Client({ name: "client", version: "1.0.0" }, { revisions: ["2024-11-05"] });
  const session = await client.connect(new SSEClientTransport(`http://127.0.0.1:${port}/sse`));
  expect(session.revision).toBe("2024-11-05");
  expect((await session.callTool({ name: "hello" })).content).toEqual([{ type: "text", text: "world" }]);
  await session.close();
});

test("continuous integration runs the official conformance suite, against the server and the client (S-206)", () => {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  expect(read(".github/workflows/ci.yml")).toMatch(/run: npm test$/m);
  expect(read("tools/run/test.mjs")).toMatch(/checkDue\("conformance"/);
  expect(read("tools/conformance/package.json")).toContain("@modelcontextprotocol/conformance");
  expect(read("tools/conformance/src/main.ts")).toMatch(/server[^]*client/);
});
