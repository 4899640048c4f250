import type { Envelope } from "../jsonrpc2/pipes.ts";

const info = { name: "bench", version: "1.0.0" };

/**
 * The members that every request and every result of 2026-07-28 carries besides, for bare
 * candidates that are to be compared with ours.
 */
export const modernEnvelope: Envelope = {
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": info,
    },
  },
  result: { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": info } },
};
