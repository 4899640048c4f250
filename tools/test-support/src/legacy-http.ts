import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { originOnFreePort } from "./http.ts";
import { legacyRevision } from "./revisions.ts";

/** A message with a method that a {@link LegacyHttp} received in a session. */
export interface LegacyMessage {
  readonly method: string;
  /** The number of its session, from 0. */
  readonly session: number;
}

/** A legacy server over HTTP whose responses a test decides. */
export interface LegacyHttp extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a legacy server that opens a session for each client.
 *
 * @param respond - Returns the result of a request, or the HTTP status of a response without one.
 *   Without either, messages are accepted and streams are refused.
 */
export async function startLegacyHttp(
  capabilities: object,
  respond: (message: LegacyMessage) => object | number | undefined,
): Promise<LegacyHttp> {
  let sessions = 0;
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method = "" } = JSON.parse(body || "{}") as {
        readonly id?: number;
        readonly method?: string;
      };
      const isOpening = method === "initialize";
      const session = isOpening ? sessions++ : Number(request.headers["mcp-session-id"]);
      const serverInfo = { name: "old", version: "1" };
      const answer = isOpening
        ? { protocolVersion: legacyRevision, capabilities, serverInfo }
        : respond({ method, session });
      if (typeof answer === "object") {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": String(session) });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answer }));
      } else {
        response.writeHead(answer ?? (request.method === "POST" ? 202 : 405)).end();
      }
    });
  });
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}
