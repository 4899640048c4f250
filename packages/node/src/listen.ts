import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { checkOptionNames, errorSink, markDrainable, systemClock } from "@tenon/base";
import type { NodeHandler, StreamableHandler } from "@tenon/transports-streamable-http/server";

import { createNodeListener, type NodeListenerOptions } from "./listener.ts";

/** Options of {@link listen}. */
export interface HttpListenOptions extends NodeListenerOptions {
  /** The port; `0` takes a free one. Default: `3000`. */
  readonly port?: number | undefined;
  /**
   * The address to listen at. Default: `127.0.0.1`, which only this machine can reach. For any
   * other address the handler needs `allowedHosts` or `authenticate`.
   *
   * @source R-282
   */
  readonly host?: string | undefined;
  /**
   * Called with errors of the `node:http` server, such as a connection that it cannot accept.
   * Default: `console.error`; `() => {}` silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A handler that {@link listen} serves. */
export interface ListeningHandler extends NodeHandler, Partial<Pick<StreamableHandler, "restricted">> {
  /** Called when the server is closed. */
  close(options?: { drainMs?: number | undefined }): Promise<void>;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** The URL of the handler: address, port and path. */
  readonly url: URL;
  /** The `node:http` server. */
  readonly http: Server;
  /**
   * Stops accepting connections, gives requests `drainMs` to finish and clients the same time to
   * read the responses, and then closes the remaining connections.
   *
   * @param options - `drainMs`: in milliseconds. Default: `10_000`, regardless of `drainMs` of the
   *   MCP server.
   */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

/** Orchestrators kill a process 10 to 30 s after they have asked it to end. */
const defaultDrainMs = 10_000;

/**
 * Starts a `node:http` server for a handler. Slow senders are cut off after 20 to 25 s (headers)
 * and by the handler's own limit (bodies).
 *
 * @example
 * const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 8080 });
 * console.log(listening.url.href); // http://127.0.0.1:8080/mcp
 *
 * @throws If the address is taken. `TypeError` for an option that does not exist, and for a `host`
 *   that other machines can reach, if the handler has neither `allowedHosts` nor `authenticate`.
 */
export async function listen(handler: ListeningHandler, options: HttpListenOptions = {}): Promise<Listening> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp", routes, onError } = options;
  checkOptionNames("listen", options, "path routes port host onError");
  const listener = createNodeListener(handler, { path, routes });
  checkExposure(handler, host);
  const http = createServer(
    // Node looks for slow senders every 30 s by default.
    { headersTimeout: 20_000, connectionsCheckingInterval: 5000 },
    listener,
  );
  http.listen(port, host);
  await once(http, "listening");
  // A connection that cannot be accepted, for want of descriptors say, must not end the process.
  http.on("error", errorSink(onError));
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { address, family, port: bound } = http.address() as AddressInfo;
  const close = async ({
    drainMs = defaultDrainMs,
  }: { readonly drainMs?: number | undefined } = {}): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    // A client that is rejected on an existing connection should open a new connection for its next
    // request, which may reach another server.
    http.prependListener("request", (_, response) => response.setHeader("connection", "close"));
    // A connection with a response in flight ends after it.
    http.keepAliveTimeout = 1;
    const deadline = performance.now() + drainMs;
    try {
      await handler.close({ drainMs });
    } finally {
      // A response may not be sent completely yet.
      for (const socket of sockets) {
        if (socket.writableLength === 0) {
          socket.destroy();
        }
      }
      const left = Math.max(0, deadline - performance.now());
      const timer = systemClock.setTimeout(() => http.closeAllConnections(), left, true);
      await closed;
      systemClock.clearTimeout(timer);
    }
  };
  return markDrainable({
    url: new URL(path, `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`),
    http,
    close: (closing) => close(closing),
    [Symbol.asyncDispose]: () => close(),
  });
}

/**
 * By default a handler accepts requests whose `Host` is a loopback name. If other computers can
 * connect, this rejects honest users, who send the real name, but not an attacker who forges the
 * header.
 */
function checkExposure({ restricted }: ListeningHandler, host: string): void {
  if (restricted === false && !/^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)) {
    throw new TypeError(
      `Other machines can reach ${JSON.stringify(host)}, so give the handler allowedHosts: ["mcp.example.com"] (the names that clients use), ` +
        'or authenticate. Behind a container\'s published port, allowedHosts: ["localhost"] is enough.',
    );
  }
}
