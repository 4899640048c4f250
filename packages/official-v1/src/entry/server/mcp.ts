// Written by scripts/entries.mjs. Do not edit.

import "../../server/engine.ts";

export * from "mcp-sdk-1/server/mcp.js";
export { McpServer } from "../../server/mcp-server-class.ts";
