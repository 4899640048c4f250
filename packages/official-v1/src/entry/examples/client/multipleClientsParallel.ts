// Written by scripts/entries.mjs. Do not edit.

import "../../../client/engine.ts";

export * from "mcp-sdk-1/examples/client/multipleClientsParallel.js";
