import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { listenOnFreePort } from "@tenon/test-support/http";

/** A server under the control of a test. */
export interface Bad extends AsyncDisposable {
  readonly url: URL;
  /** What was received, in order. */
  readonly seen: {
    method: string;
    headers: IncomingMessage["headers"];
    message: { id?: number; method?: string };
  }[];
  /** Takes no more connections. Those that are open stay. */
  deafen(): void;
}

/** A server that does what a test says. */
export async function badServer(
  answer: (
    message: { id?: number; method?: string },
    response: ServerResponse,
    request: IncomingMessage,
  ) => void,
): Promise<Bad> {
  const seen: Bad["seen"] = [];
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const message = body === "" ? {} : (JSON.parse(body) as { id?: number; method?: string });
      seen.push({ method: request.method ?? "", headers: request.headers, message });
      answer(message, response, request);
    });
  });
  const port = await listenOnFreePort(http);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    seen,
    deafen: () => void http.close(),
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** Answers a request in JSON. */
export function json(response: ServerResponse, id: number | undefined, result: unknown, headers = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
