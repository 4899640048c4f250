// Written by scripts/entries.mjs. Do not edit.

import "../../server/engine.ts";

export * from "mcp-sdk-1/server/index.js";
export { Server } from "../../server/server-class.ts";
