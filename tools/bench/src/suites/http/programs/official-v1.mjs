// The official SDK 1. Arguments: how many tools, and how they are served: `stateless` (a server for each request), `stateful` or `stateful-json`.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

import { info, inSessions, otherTools, serve, sumOf } from "./serve.mjs";

const [count = "1", serving = "stateful"] = process.argv.slice(2);
const names = otherTools(Number(count));

function build() {
  const server = new McpServer(info);
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, sumOf);
  for (const name of names) {
    const inputSchema = {
      query: z.string().describe("What to look for"),
      limit: z.number().int().min(1).max(100).optional().describe("Most results"),
      order: z.enum(["best", "newest", "oldest"]).optional(),
    };
    server.registerTool(name, { description: "Looks for things", inputSchema }, () => ({ content: [] }));
  }
  return server;
}

async function serveOnce(request, response) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await build().connect(transport);
  await transport.handleRequest(request, response);
}

const serveSession = inSessions(StreamableHTTPServerTransport, build, serving === "stateful-json");
await serve(serving === "stateless" ? serveOnce : serveSession);
