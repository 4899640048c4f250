import { SpanKind } from "@opentelemetry/api";
import { RpcError } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { instrument, type InstrumentOptions } from "@tenon/otel";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { startTelemetry } from "./telemetry.ts";

async function connect(server: Server, options: InstrumentOptions = {}): Promise<ClientSession> {
  instrument(server, options);
  const client = new Client({ name: "measuring", version: "1.0.0" }, { revisions: [modernRevision] });
  instrument(client, options);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return client.connect(here);
}

const sides = ["client", "server"] as const;

test("a name that a server refuses before it looks for the tool becomes no series", async () => {
  await using telemetry = startTelemetry();
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  let isFull = false;
  server.addReceivingMiddleware((next) => (request) => {
    if (isFull && request.method === "tools/call") {
      throw new RpcError(429, "Too many calls");
    }
    return next(request);
  });
  const session = await connect(server);
  await session.callTool({ name: "add" });
  isFull = true;
  for (const name of ["add", ...Array.from({ length: 50 }, (_, index) => `made-up-${index}`)]) {
    await expect(session.callTool({ name })).rejects.toThrow("Too many");
  }
  for (const side of sides) {
    const points = await telemetry.points(`mcp.${side}.operation.duration`);
    const names = points.map(({ attributes }) => attributes["gen_ai.tool.name"]);
    // The tool is known from its first call, so its refusal is still counted for it.
    expect(names.filter((name) => name !== undefined)).toEqual(["add", "add"]);
  }
  const received = telemetry
    .spans()
    .filter(({ kind }) => SpanKind[kind] === "SERVER")
    .filter(({ name }) => name.startsWith("tools"));
  expect(new Set(received.map(({ name }) => name))).toEqual(new Set(["tools/call add", "tools/call"]));
});

test("spans have URIs without their users and queries, which may contain keys", async () => {
  await using telemetry = startTelemetry();
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addResourceTemplate({ uriTemplate: "doc://a/b{?key}", name: "doc" }, ({ uri }) => uri);
  const session = await connect(server);
  await session.readResource({ uri: "doc://a/b?key=hunter2" });
  for (const key of ["hunter2", "k".repeat(2_000)]) {
    const uri = `db://ann:${key}@a/b`;
    server.addResource({ uri, name: "db" }, () => "rows");
    await session.readResource({ uri });
  }
  const spans = telemetry.spans().filter(({ name }) => name === "resources/read");
  expect(spans.map(({ attributes }) => attributes["mcp.resource.uri"])).toEqual([
    ...sides.map(() => "doc://a/b?…"),
    ...[...sides, ...sides].map(() => "db://…@a/b"),
  ]);
});

test("names of tools above the limit are reported as _OTHER", async () => {
  await using telemetry = startTelemetry();
  const server = new Server({ name: "measured", version: "1.0.0" });
  const names = Array.from({ length: 10 }, (_, index) => `tool-${index}`);
  names.forEach((name) => server.addTool({ name }, () => "3"));
  const session = await connect(server, { limits: { maxValues: 3 } });
  for (const name of names) {
    await session.callTool({ name });
  }
  for (const side of sides) {
    const points = await telemetry.points(`mcp.${side}.operation.duration`);
    const counted = points
      .filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call")
      .map(({ attributes, value }) => [attributes["gen_ai.tool.name"], value.count]);
    expect(counted).toEqual([
      ["tool-0", 1],
      ["tool-1", 1],
      ["tool-2", 1],
      ["_OTHER", 7],
    ]);
  }
  const spans = telemetry.spans().map(({ name }) => name);
  expect(spans).toContain("tools/call tool-9");
});
