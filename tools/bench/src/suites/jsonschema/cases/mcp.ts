import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Case, Schema } from "../case.ts";

const shared =
  process.env["TENON_SHARED"] ?? fileURLToPath(new URL("../../../../../../../shared", import.meta.url));

const tool = (index: number): Record<string, unknown> => ({
  name: `tool_${index}`,
  title: `Tool ${index}`,
  description: `Does the thing of number ${index} and tells how it went.`,
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "What to look for" },
      limit: { type: "integer", minimum: 1, maximum: 100 },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["query"],
  },
  ...(index % 2 === 0 ? { annotations: { readOnlyHint: true, openWorldHint: false } } : {}),
  ...(index % 10 === 0
    ? { icons: [{ src: "https://example.org/i.png", mimeType: "image/png", sizes: ["48x48"] }] }
    : {}),
});

const tools = Array.from({ length: 100 }, (_, index) => tool(index));

/** Requests as clients send them. */
const requests = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo: { name: "host", version: "1.0.0" },
    },
  },
  {
    jsonrpc: "2.0",
    id: "call-2",
    method: "tools/call",
    params: { name: "search", arguments: { query: "oak", limit: 5 }, _meta: { progressToken: 7 } },
  },
  { jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: "file:///notes/today.md" } },
  { jsonrpc: "2.0", id: 4, method: "ping" },
];

/** Requests in which one thing is wrong. */
const badRequests = [
  { jsonrpc: "2.0", id: 2, method: "tools/call", params: { arguments: { query: "oak" } } },
  { jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: 17 } },
];

/**
 * The protocol's own schema as a list of 100 tools and as any client's request; none when the data
 * is not there.
 */
export function mcpCases(revision = "2025-11-25"): Case[] {
  const file = join(shared, "data", "mcp-schema", revision, "schema.json");
  if (!existsSync(file)) {
    return [];
  }
  const document = JSON.parse(readFileSync(file, "utf8")) as Schema;
  return [
    {
      name: "mcp list of 100 tools",
      kind: "flat",
      schema: { ...document, $ref: "#/$defs/ListToolsResult" },
      valid: [{ tools }, { tools: tools.toReversed(), nextCursor: "abc" }],
      invalid: [
        { tools: [...tools.slice(1), { ...tools[0], name: 7 }] },
        {
          tools: tools.map((tool, index) =>
            index % 25 === 24 ? { ...tool, inputSchema: { type: "array" } } : tool,
          ),
        },
      ],
    },
    {
      name: "mcp request",
      kind: "union",
      schema: { ...document, $ref: "#/$defs/ClientRequest" },
      valid: requests,
      invalid: badRequests,
    },
  ];
}
