import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport as ClientTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";

/** A server on the official SDK, version 1. */
export function createServer(): McpServer {
  // #region server
  const server = new McpServer({ name: "greeter", version: "1.0.0" });
  server.registerTool(
    "greet",
    { description: "Says hello", inputSchema: { name: z.string() } },
    async ({ name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
  );
  // #endregion server
  return server;
}

/** Its client. */
export async function greet(transport: ClientTransport): Promise<unknown> {
  // #region client
  const client = new Client({ name: "desk", version: "1.0.0" });
  await client.connect(transport);
  const { content } = await client.callTool({ name: "greet", arguments: { name: "you" } });
  await client.close();
  // #endregion client
  return content;
}
