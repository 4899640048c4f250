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

/** The protocol's own schema with the result of `tools/list` as root; `undefined` when the data is not there. */
export function mcpCase(revision = "2025-11-25"): Case | undefined {
  const file = join(shared, "data", "mcp-schema", revision, "schema.json");
  if (!existsSync(file)) return undefined;
  const document = JSON.parse(readFileSync(file, "utf8")) as Schema;
  return {
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
  };
}
