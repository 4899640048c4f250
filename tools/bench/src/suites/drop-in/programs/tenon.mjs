// The same server, written for Tenon.
import { createServer } from "node:http";

import { Server } from "@tenon/mcp/server";
import { z } from "zod";

const make = () => {
  const server = new Server({ name: "adder", version: "1.0.0" });
  server.addTool({ name: "add", input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    String(a + b),
  );
  return server;
};
const [how, count] = process.argv.slice(2);
if (how === "stdio") {
  const { StdioTransport } = await import("@tenon/transports-stdio/server");
  await make().run(new StdioTransport());
} else if (how === "http") {
  const { createStreamableHandler } = await import("@tenon/transports-streamable-http/server");
  const server = make();
  const handler = createStreamableHandler({ getServer: () => server, sessions: false });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
} else {
  const { Client } = await import("@tenon/mcp/client");
  const { createInMemoryTransports } = await import("@tenon/transports-memory");
  const server = make();
  const client = new Client({ name: "idle", version: "1.0.0" });
  const kept = [];
  const open = async () => {
    const [a, b] = createInMemoryTransports();
    kept.push(...(await Promise.all([server.connect(a), client.connect(b)])));
  };
  await open();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < Number(count); i++) {
    await open();
  }
  globalThis.gc();
  console.log((process.memoryUsage().heapUsed - before) / Number(count), kept.length);
}
