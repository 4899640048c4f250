import { fastifyHandler } from "@tenon/fastify";
import { Client, Server } from "@tenon/mcp";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { fastify } from "fastify";
import { expect, test } from "vitest";

test.each(["2026-07-28", "2025-11-25"] as const)("Fastify 5 serves %s", async (revision) => {
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
