// Written by scripts/entries.mjs. Do not edit.

import "../../shared/engine.ts";

export * from "mcp-sdk-1/shared/protocol.js";
