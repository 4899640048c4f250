import { fastifyHandler } from "@tenon/fastify";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { fastify } from "fastify";
import { expect, test } from "vitest";

test.each(bothEras)("Fastify 5 serves %s", async (revision) => {
  const server = new Server({ name: "test", version: "1.0.0" });
  server.addTool({ name: "who" }, async (_, context) => {
    await context.progress(1);
    return context.auth?.principal ?? "nobody";
  });
  await using handler = createStreamableHandler({ getServer: () => server });
  const app = fastify();
  app.addHook("onRequest", async (request) => {
    Object.assign(request, { auth: { principal: "alice" } });
  });
  app.all("/mcp", fastifyHandler(handler));
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(new StreamableClientTransport(`${address}/mcp`, { eras: false }));
  const reports: number[] = [];
  const result = await session.callTool(
    { name: "who" },
    { onProgress: ({ progress }) => reports.push(progress) },
  );
  expect(result.content).toEqual([{ type: "text", text: "alice" }]);
  expect(reports).toEqual([1]);
  await session.close();
  app.server.closeAllConnections();
  await app.close();
});

test("authenticate of the handler works, and never sees preflights", async () => {
  const asked: string[] = [];
  await using handler = createStreamableHandler({
    getServer: () => new Server({ name: "test", version: "1.0.0" }),
    authenticate: ({ method }) => void asked.push(method),
  });
  const app = fastify();
  app.all("/mcp", fastifyHandler(handler));
  const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/mcp`;
  const origin = "http://localhost:6274";
  const preflight = { origin, "access-control-request-method": "POST" };
  expect((await fetch(url, { method: "OPTIONS", headers: preflight })).status).toBe(204);
  const headers = {
    origin,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const refused = await fetch(url, { method: "POST", headers, body: "{}" });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  expect(asked).toEqual(["POST"]);
  await app.close();
});
