// Written by scripts/entries.mjs. Do not edit.

import "../../client/engine.ts";

export * from "mcp-sdk-1/client/index.js";
export { Client } from "../../client/client-class.ts";
