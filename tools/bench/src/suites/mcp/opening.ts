/** What a legacy client says before its first call. */
export const opening = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];
