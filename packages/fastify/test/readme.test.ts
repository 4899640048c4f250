import { fastifyHandler } from "@tenon/fastify";
import { Client, Server } from "@tenon/mcp";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { fastify } from "fastify";
import { expect, test } from "vitest";

test("the example of the README works", async () => {
  // #region app
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, (_, { auth }) => `Hello, ${auth?.principal ?? "stranger"}!`);

  const handler = createStreamableHandler({ getServer: () => server });
  const app = fastify();
  await app.register(async (mcp) => {
    // The handler reads the bodies itself.
    mcp.removeAllContentTypeParsers();
    mcp.addContentTypeParser("*", (_request, _body, done) => done(null));
    mcp.all("/mcp", fastifyHandler(handler));
  });
  // #endregion app

  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(`${address}/mcp`));
  const { content } = await session.callTool({ name: "greet" });
  expect(content).toEqual([{ type: "text", text: "Hello, stranger!" }]);
  await session.close();

  const long = { jsonrpc: "2.0", id: 1, method: "ping", params: { padding: "x".repeat(2_000_000) } };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ping = await fetch(`${address}/mcp`, { method: "POST", headers, body: JSON.stringify(long) });
  expect(await ping.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  // A client in Python ends its session like this, without a body.
  const ended = { ...headers, "mcp-session-id": "unknown" };
  const { status } = await fetch(`${address}/mcp`, { method: "DELETE", headers: ended });
  expect(status).toBe(404);
  await handler.close();
  app.server.closeAllConnections();
  await app.close();
});
