// Written by scripts/entries.mjs. Do not edit.

import "../../../server/engine.ts";
import "../../../server/web-http.ts";
import "../../../server/node-http.ts";

export * from "mcp-sdk-1/examples/server/sseAndStreamableHttpCompatibleServer.js";
