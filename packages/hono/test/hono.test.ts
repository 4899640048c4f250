import { honoHandler } from "@tenon/hono";
import { Client, Server } from "@tenon/mcp";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { Hono } from "hono";
import { expect, test } from "vitest";

test.each(["2026-07-28", "2025-11-25"] as const)("Hono serves %s, without a socket", async (revision) => {
  const server = new Server({ name: "test", version: "1.0.0" });
  server.addTool({ name: "who" }, async (_, context) => {
    await context.progress(1);
    return context.auth?.principal ?? "nobody";
  });
  await using handler = createStreamableHandler({ getServer: () => server });
  const app = new Hono<{ Variables: { auth: unknown } }>();
  app.use(async (context, next) => {
    context.set("auth", { principal: "alice" });
    await next();
  });
  app.all("/mcp", honoHandler(handler));
  const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(
    new StreamableClientTransport("http://localhost/mcp", {
      eras: false,
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    }),
  );
  const reports: number[] = [];
  const result = await session.callTool(
    { name: "who" },
    { onProgress: ({ progress }) => reports.push(progress) },
  );
  expect(result.content).toEqual([{ type: "text", text: "alice" }]);
  expect(reports).toEqual([1]);
  await session.close();
});
