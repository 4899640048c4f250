import { createServer, request as forward, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";

import { listenOnFreePort } from "./http.ts";

/** A proxy for HTTP, which leads every name to this machine. */
export interface HttpProxy extends Disposable {
  readonly url: string;
  /** The requests that it has received: `GET http://…` or `CONNECT host:port`. */
  readonly seen: readonly string[];
}

/** Starts an {@link HttpProxy}. @param credentials - `user:password` that it requires. */
export async function startHttpProxy(credentials?: string): Promise<HttpProxy> {
  const seen: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    expected === undefined || headers["proxy-authorization"] === expected;
  const http = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
    if (url === undefined || !isAllowed(request)) {
      response.writeHead(url === undefined ? 400 : 407, { "proxy-authenticate": "Basic" }).end();
      return;
    }
    const { "proxy-authorization": _, ...headers } = request.headers;
    const path = `${url.pathname}${url.search}`;
    const sent = forward(
      { host: "127.0.0.1", port: url.port, path, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  });
  http.on("connect", (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.on("error", () => {});
    if (!isAllowed(request)) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
      return;
    }
    const [, port] = (request.url ?? "").split(":");
    const up = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      up.pipe(socket);
      socket.pipe(up);
    });
    up.on("error", () => socket.destroy());
    socket.on("close", () => up.destroy());
  });
  const port = await listenOnFreePort(http);
  return {
    url: `http://${credentials === undefined ? "" : `${credentials}@`}127.0.0.1:${port}`,
    seen,
    [Symbol.dispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
