import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expressHandler } from "@tenon/express";
import { Client, Server } from "@tenon/mcp";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import express from "express";
import { expect, test } from "vitest";

test("the example of the README works", async () => {
  // #region app
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, (_, { auth }) => `Hello, ${auth?.principal ?? "stranger"}!`);

  const handler = createStreamableHandler({ getServer: () => server });
  const app = express();
  app.all("/mcp", expressHandler(handler));
  // #endregion app

  const http = await new Promise<HttpServer>((resolve) => {
    const listening: HttpServer = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const { port } = http.address() as AddressInfo;
  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(`http://127.0.0.1:${port}/mcp`));
  const { content } = await session.callTool({ name: "greet" });
  expect(content).toEqual([{ type: "text", text: "Hello, stranger!" }]);
  await session.close();
  await handler.close();
  http.closeAllConnections();
  http.close();
});
