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
  app.all("/mcp", fastifyHandler(handler));
  // #endregion app

  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(`${address}/mcp`));
  const { content } = await session.callTool({ name: "greet" });
  expect(content).toEqual([{ type: "text", text: "Hello, stranger!" }]);
  await session.close();
  await handler.close();
  app.server.closeAllConnections();
  await app.close();
});
