// Written by scripts/entries.mjs. Do not edit.

export * from "mcp-sdk-1/client/auth.js";
