// A server of the official SDK 1.x with one tool. It runs in a folder whose node_modules has one or the other SDK.
import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const make = () => {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
};
const [how, count] = process.argv.slice(2);
if (how === "stdio") {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  await make().connect(new StdioServerTransport());
} else if (how === "http") {
  const { StreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const serve = async (request, response) => {
    const server = make();
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.on("close", () => {
      void transport.close();
      void server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => void serve(request, response));
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
} else {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
  const kept = [];
  const open = async () => {
    const server = make();
    const client = new Client({ name: "idle", version: "1.0.0" });
    const [a, b] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(a), client.connect(b)]);
    kept.push(server, client);
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
