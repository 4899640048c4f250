import { createServer, type IncomingMessage, type Server as HttpServer } from "node:http";

import type { Server } from "@tenon/mcp";
import { listenOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

/** A remote server whose process can be killed and started again. */
export interface Remote {
  readonly url: string;
  /** Ends all connections without a word, and refuses new ones. */
  kill(): Promise<void>;
  /** Responds to the next POST requests with HTTP statuses, one each, and does not run them. */
  fail(...statuses: readonly number[]): void;
  /** Serves at the same port again. */
  start(server: Server): Promise<void>;
}

/**
 * Serves a server at a port of this machine.
 *
 * @param options - `streams`: whether it announces changes. Default: `true`. `refuses`: whether a
 *   request gets HTTP status 401. `sessions`: whether legacy clients get sessions. Default: `true`.
 */
export async function remote(
  first: Server,
  {
    streams = true,
    refuses = () => false,
    sessions = true,
  }: {
    readonly streams?: boolean;
    readonly refuses?: (request: IncomingMessage) => boolean;
    readonly sessions?: boolean;
  } = {},
): Promise<Remote> {
  const failures: number[] = [];
  let port: number | undefined;
  let running: { readonly http: HttpServer; end(): Promise<void> } | undefined;
  const kill = async (): Promise<void> => {
    const ended = running;
    running = undefined;
    ended?.http.closeAllConnections();
    await new Promise((resolve) => (ended === undefined ? resolve(undefined) : ended.http.close(resolve)));
    await ended?.end();
  };
  const start = async (server: Server): Promise<void> => {
    const handler = createStreamableHandler({
      getServer: () => server,
      onError: () => {},
      ...(sessions ? {} : { sessions: false }),
    });
    const http = createServer((request, response) => {
      const status = request.method === "POST" ? failures.shift() : undefined;
      if (refuses(request)) {
        response.writeHead(401).end();
      } else if (!streams && request.method === "GET") {
        response.writeHead(405).end();
      } else if (status === undefined) {
        void handler.node(request, response);
      } else {
        response.writeHead(status).end();
      }
    });
    const reserved = port;
    port =
      reserved === undefined
        ? await listenOnFreePort(http)
        : await new Promise<number>((resolve) => {
            http.listen(reserved, "127.0.0.1", () => resolve(reserved));
          });
    running = { http, end: () => handler.close({ drainMs: 0 }) };
  };
  await start(first);
  onTestFinished(kill);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    kill,
    start,
    fail: (...statuses) => void failures.push(...statuses),
  };
}
