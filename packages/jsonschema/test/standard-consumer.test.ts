import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, expectTypeOf, test } from "vitest";

import { compile } from "../src/index.ts";

test("the official MCP server takes a compiled validator as the input schema of a tool", async () => {
  const input = compile({
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", default: 20 } },
    required: ["query"],
  });
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool("search", { inputSchema: input }, ({ query, limit }) => {
    expectTypeOf(limit).toBeNumber();
    return { content: [{ type: "text", text: `${query} ${limit}` }] };
  });
  const client = new Client({ name: "c", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["query"] });
    const good = await client.callTool({ name: "search", arguments: { query: "x" } });
    expect(good.content).toEqual([{ type: "text", text: "x 20" }]);
    const bad = await client.callTool({ name: "search", arguments: {} });
    expect(bad.isError).toBe(true);
    expect(JSON.stringify(bad.content)).toContain("query");
  } finally {
    await client.close();
    await server.close();
  }
});
