// Written by scripts/entries.mjs. Do not edit.

import "../../server/web-http.ts";

export * from "mcp-sdk-1/server/webStandardStreamableHttp.js";
