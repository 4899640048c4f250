import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { checkOptionNames } from "@tenon/base";

import { listenerOf, type NodeListenerOptions } from "./listener.ts";
import { createHttpServer, listeningOf, type Listening, type ListeningHandler } from "./listening.ts";
import { createOpenResponses } from "./open-responses.ts";

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

/**
 * Starts a `node:http` server for a handler. Slow senders are cut off after 20 to 25 s (headers)
 * and by the handler's own limit (bodies).
 *
 * @example
 * const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 8080 });
 * console.log(listening.url.href); // http://127.0.0.1:8080/mcp
 *
 * @throws If the address is taken. `TypeError` for an option that does not exist, for a `path` that
 *   does not begin with a slash or contains a query, and for a `host` that other machines can
 *   reach, if the handler has neither `allowedHosts` nor `authenticate`.
 */
export async function listen(handler: ListeningHandler, options: HttpListenOptions = {}): Promise<Listening> {
  const { port = 3000, host = "127.0.0.1", path = "/mcp", routes, onError } = options;
  checkOptionNames("listen", options, "path routes port host onError");
  const routed = createOpenResponses();
  const listener = listenerOf(handler, { path, routes }, routed.add);
  checkExposure(handler, host);
  const http = createHttpServer(listener);
  http.listen(port, host);
  await once(http, "listening");
  const { address, family, port: bound } = http.address() as AddressInfo;
  const url = new URL(path, `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`);
  return listeningOf({ http, handler, url, onError, routed });
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
