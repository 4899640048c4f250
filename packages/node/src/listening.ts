import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";

import { errorSink, markDrainable, systemClock } from "@tenon/base";
import type { NodeHandler, StreamableHandler } from "@tenon/transports-streamable-http/server";

import type { NodeListener } from "./listener.ts";
import type { OpenResponses } from "./open-responses.ts";

/** A handler that is served. */
export interface ListeningHandler extends NodeHandler, Partial<Pick<StreamableHandler, "restricted">> {
  /** Called when the server is closed. */
  close(options?: { drainMs?: number | undefined }): Promise<void>;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** The URL of the handler: address, port and path; on a socket as `socketUrl` writes it. */
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
 * How long a connection may be idle, in milliseconds. It is longer than proxies keep one: nginx and
 * the balancers of AWS 60 s, Traefik 90 s, Caddy 120 s. Otherwise a proxy would sometimes send a
 * request on a connection that is being closed, and respond with 502.
 */
const keepAliveTimeout = 125_000;

/** Creates a `node:http` server that cuts slow senders off. */
export function createHttpServer(listener: NodeListener): Server {
  // Node looks for slow senders every 30 s by default.
  const limits = { headersTimeout: 20_000, connectionsCheckingInterval: 5000 };
  return createServer({ ...limits, keepAliveTimeout }, listener);
}

/** The parts of a {@link Listening}. */
interface ListeningParts {
  /** Listens already. */
  readonly http: Server;
  readonly handler: ListeningHandler;
  readonly url: URL;
  readonly onError: ((error: unknown) => void) | undefined;
  /** The responses of routes, for which the handler does not wait. */
  readonly routed: OpenResponses;
}

/** Makes the object that closes a server. */
export function listeningOf({ http, handler, url, onError, routed }: ListeningParts): Listening {
  // A connection that cannot be accepted, for want of descriptors say, must not end the process.
  http.on("error", errorSink(onError));
  const sockets = new Set<Socket>();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
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
        if (socket.writableLength === 0 && !routed.has(socket)) {
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
    url,
    http,
    close: (closing) => close(closing),
    [Symbol.asyncDispose]: () => close(),
  });
}
