import { honoHandler } from "@tenon/hono";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { Hono } from "hono";
import { expect, test } from "vitest";

test.each(bothEras)("Hono serves %s, without a socket", async (revision) => {
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

test("authenticate of the handler works, and never sees preflights", async () => {
  const asked: string[] = [];
  await using handler = createStreamableHandler({
    getServer: () => new Server({ name: "test", version: "1.0.0" }),
    authenticate: ({ method }) => void asked.push(method),
  });
  const app = new Hono();
  app.all("/mcp", honoHandler(handler));
  const origin = "http://localhost:6274";
  const send = (method: string, headers: Record<string, string>): Response | Promise<Response> =>
    app.fetch(new Request("http://localhost/mcp", { method, headers: { origin, ...headers } }));
  expect((await send("OPTIONS", { "access-control-request-method": "POST" })).status).toBe(204);
  const refused = await send("POST", {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  expect(asked).toEqual(["POST"]);
});

test.each(["json", "text", "arrayBuffer"] as const)(
  "middleware may read the body by %s of Hono",
  async (read) => {
    await using handler = createStreamableHandler({
      getServer: () => new Server({ name: "test", version: "1.0.0" }),
    });
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req[read]();
      await next();
    });
    app.all("/mcp", honoHandler(handler));
    const response = await app.request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  },
);

test("a body that middleware has read past Hono is reported, and refused", async () => {
  const errors: unknown[] = [];
  await using handler = createStreamableHandler({
    getServer: () => new Server({ name: "test", version: "1.0.0" }),
    onError: (error) => void errors.push(error),
  });
  const app = new Hono();
  app.use(async (context, next) => {
    await context.req.raw.json();
    await next();
  });
  app.all("/mcp", honoHandler(handler));
  const response = await app.request("http://localhost/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: "{}",
  });
  expect(response.status).toBe(500);
  expect(errors).toMatchObject([{ message: expect.stringContaining("The body was already read") }]);
});
