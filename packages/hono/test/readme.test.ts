import { honoHandler } from "@tenon/hono";
import { Client, Server } from "@tenon/mcp";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { Hono } from "hono";
import { expect, test } from "vitest";

test("the example of the README works", async () => {
  // #region app
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, (_, { auth }) => `Hello, ${auth?.principal ?? "stranger"}!`);

  const handler = createStreamableHandler({ getServer: () => server });
  const app = new Hono();
  app.all("/mcp", honoHandler(handler));
  // #endregion app

  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(
    new StreamableClientTransport("http://localhost/mcp", {
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    }),
  );
  const { content } = await session.callTool({ name: "greet" });
  expect(content).toEqual([{ type: "text", text: "Hello, stranger!" }]);
  await session.close();
  await handler.close();
});
