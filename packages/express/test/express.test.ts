import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expressHandler } from "@tenon/express";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import express5 from "express";
// @ts-expect-error The types are those of Express 5.
import express4 from "express-4";
import { expect, test } from "vitest";

const apps: readonly (readonly [string, typeof express5])[] = [
  ["Express 4", express4 as typeof express5],
  ["Express 5", express5],
];
const cases = apps.flatMap(([name, express]) =>
  bothEras.flatMap((revision) => [true, false].map((parser) => ({ name, express, revision, parser }))),
);

test.each(cases)("$name serves $revision (body parser: $parser)", async ({ express, revision, parser }) => {
  const server = new Server({ name: "test", version: "1.0.0" });
  server.addTool({ name: "who" }, async (_, context) => {
    await context.progress(1);
    return context.auth?.principal ?? "nobody";
  });
  await using handler = createStreamableHandler({ getServer: () => server });
  const app = express();
  if (parser) {
    app.use(express.json());
  }
  app.use((request: object, _response: unknown, next: () => void) => {
    Object.assign(request, { auth: { principal: "alice" } });
    next();
  });
  app.all("/mcp", expressHandler(handler));
  const http = await new Promise<HttpServer>((resolve) => {
    const listening: HttpServer = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const { port } = http.address() as AddressInfo;
  const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(
    new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`, { eras: false }),
  );
  const reports: number[] = [];
  const result = await session.callTool(
    { name: "who" },
    { onProgress: ({ progress }) => reports.push(progress) },
  );
  expect(result.content).toEqual([{ type: "text", text: "alice" }]);
  expect(reports).toEqual([1]);
  await session.close();
  http.closeAllConnections();
  http.close();
});

test.each(apps)(
  "behind a mounted router of %s a handler knows the path that was asked for",
  async (_, express) => {
    const server = new Server({ name: "test", version: "1.0.0" });
    server.addTool({ name: "where" }, (_args, { http }) => String(http?.url));
    await using handler = createStreamableHandler({ getServer: () => server });
    const app = express();
    app.use("/api", express.Router().all("/mcp", expressHandler(handler)));
    const http = await new Promise<HttpServer>((resolve) => {
      const listening: HttpServer = app.listen(0, "127.0.0.1", () => resolve(listening));
    });
    const { port } = http.address() as AddressInfo;
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(
      new StreamableClientTransport(`http://127.0.0.1:${port}/api/mcp?tenant=blue`, { eras: false }),
    );
    const { content } = await session.callTool({ name: "where" });
    expect(content).toEqual([{ type: "text", text: "/api/mcp?tenant=blue" }]);
    await session.close();
    http.closeAllConnections();
    http.close();
  },
);

test.each(apps)("authenticate of the handler works in %s, and never sees preflights", async (_, express) => {
  const asked: string[] = [];
  await using handler = createStreamableHandler({
    getServer: () => new Server({ name: "test", version: "1.0.0" }),
    authenticate: ({ method, headers }) => void asked.push(`${method} ${headers.get("authorization") ?? ""}`),
  });
  const app = express();
  app.all("/mcp", expressHandler(handler));
  const http = await new Promise<HttpServer>((resolve) => {
    const listening: HttpServer = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const origin = "http://localhost:6274";
  const preflight = { origin, "access-control-request-method": "POST" };
  expect((await fetch(url, { method: "OPTIONS", headers: preflight })).status).toBe(204);
  const headers = { origin, authorization: "Bearer wrong", "content-type": "application/json" };
  const accept = "application/json, text/event-stream";
  const refused = await fetch(url, { method: "POST", headers: { ...headers, accept }, body: "{}" });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  expect(asked).toEqual(["POST Bearer wrong"]);
  http.closeAllConnections();
  http.close();
});
