// The official SDK 2. Arguments: how many tools, and how they are served: `handler` (a server for each request, both eras), `hoisted` (the same with
// schemas made once), `stateful` (a server for each session, answers as event streams) or `stateful-json`.
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { flood, info, inSessions, large, otherTools, serve, sumOf } from "./serve.mjs";

const [count = "1", serving = "handler"] = process.argv.slice(2);
const names = otherTools(Number(count));

const schemas = {
  add: () => z.object({ a: z.number(), b: z.number() }),
  other: () =>
    z.object({
      query: z.string().describe("What to look for"),
      limit: z.number().int().min(1).max(100).optional().describe("Most results"),
      order: z.enum(["best", "newest", "oldest"]).optional(),
    }),
};
const hoisted = { add: schemas.add(), other: names.map(() => schemas.other()) };

let sent = 0;
function build() {
  const inline = serving !== "hoisted";
  const server = new McpServer(info);
  server.registerTool("add", { inputSchema: inline ? schemas.add() : hoisted.add }, sumOf);
  server.registerTool("large", {}, () => large);
  server.registerTool("flood", {}, async (context) => {
    const { _meta, notify } = context.mcpReq;
    for (sent = 0; sent < flood.count; sent++) {
      const params = { progressToken: _meta.progressToken, progress: sent, message: flood.text };
      await notify({ method: "notifications/progress", params });
    }
    return { content: [] };
  });
  names.forEach((name, index) => {
    const inputSchema = inline ? schemas.other() : hoisted.other[index];
    server.registerTool(name, { description: "Looks for things", inputSchema }, () => ({ content: [] }));
  });
  return server;
}

const serveSession = inSessions(NodeStreamableHTTPServerTransport, build, serving === "stateful-json");
await serve(serving.startsWith("stateful") ? serveSession : toNodeHandler(createMcpHandler(build)), () => ({
  sent,
}));
