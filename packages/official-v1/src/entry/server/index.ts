// Written by scripts/entries.mjs. Do not edit.

import "../../server/engine.ts";

export * from "mcp-sdk-1/server/index.js";
