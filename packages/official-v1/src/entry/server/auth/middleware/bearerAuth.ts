// Written by scripts/entries.mjs. Do not edit.

export * from "mcp-sdk-1/server/auth/middleware/bearerAuth.js";
