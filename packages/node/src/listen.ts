import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { errorSink } from "@tenon/jsonrpc2";

import { createNodeListener, type NodeHandler, type NodeListenerOptions } from "./listener.ts";

/** Options of {@link listen}. */
export interface ListenOptions extends NodeListenerOptions {
  /** The port; 0 takes a free one. Default 3000. */
  readonly port?: number | undefined;
  /** The address to listen at. Default `127.0.0.1`: reachable from this machine alone. @source R-282 */
  readonly host?: string | undefined;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Where it listens, with the path of the handler. */
  readonly url: URL;
  /** The server, for those who need more of it. */
  readonly http: Server;
  /** Takes no more connections, lets requests finish for `drainMs`, ends the rest. */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

/**
 * Starts a `node:http` server for a handler. Slow senders are cut off after 20 to 25 s (headers) and by the handler's own limit (bodies).
 *
 * @example
 * const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 8080 });
 * console.log(listening.url.href); // http://127.0.0.1:8080/mcp
 *
 * @throws If the address is taken.
 */
export async function listen(
  handler: NodeHandler & { close(options?: { drainMs?: number | undefined }): Promise<void> },
  options: ListenOptions = {},
): Promise<Listening> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp", authenticate, onError } = options;
  const http = createServer(
    // Node looks for slow senders every 30 s unless it is told otherwise.
    { headersTimeout: 20_000, connectionsCheckingInterval: 5000 },
    createNodeListener(handler, { path, authenticate, onError }),
  );
  http.listen(port, host);
  await once(http, "listening");
  // A connection that cannot be accepted, for want of descriptors say, must not end the process.
  http.on("error", errorSink(onError));
  const { address, family, port: bound } = http.address() as AddressInfo;
  const close = async ({ drainMs }: { readonly drainMs?: number | undefined } = {}): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    // Who is refused from now on, on a connection from before, should open the next one: it may end at another server.
    http.prependListener("request", (_, response) => response.setHeader("connection", "close"));
    try {
      await handler.close({ drainMs });
    } finally {
      http.closeAllConnections();
      await closed;
    }
  };
  return {
    url: new URL(path, `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`),
    http,
    close: (closing) => close(closing),
    [Symbol.asyncDispose]: () => close(),
  };
}
