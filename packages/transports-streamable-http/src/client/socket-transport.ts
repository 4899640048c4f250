import { checkOptionNames, readLimits } from "@tenon/base";
import type { AuthProvider } from "@tenon/http/client";
import { readSocketUrl, socketFetch } from "@tenon/http/socket";
import type { Transport } from "@tenon/jsonrpc2";

import { ClientConnection } from "./connection.ts";
import { reconnectLimits, streamableClientLimits, type StreamableClientOptions } from "./options.ts";

/** Options of {@link socketTransport}. Servers of HTTP+SSE are not supported on sockets. */
export type SocketTransportOptions = Omit<StreamableClientOptions, "fetch" | "fallback">;

/** A transport to a socket. Every connection has a session of its own. */
export interface SocketTransport extends Transport {
  /** As `socketUrl` writes it. */
  readonly url: URL;
  /** The provider of credentials of the options. */
  readonly authorization: AuthProvider | undefined;
}

/**
 * Connects to a server over Streamable HTTP on a Unix socket or a Windows named pipe, of either
 * era. There is no traffic before the first message.
 *
 * @example `await client.connect(socketTransport("http+unix://%2Frun%2Fuser%2F1000%2Fnotes.sock/mcp"))`
 *
 * @param url - As `socketUrl` writes it, or in the form of VS Code: `unix:///path/of.sock#/mcp`.
 * @throws `TypeError` for any other URL, and for options that do not exist or are out of range.
 */
export function socketTransport(url: string | URL, options: SocketTransportOptions = {}): SocketTransport {
  const address = readSocketUrl(url);
  checkOptionNames(
    "socketTransport",
    options,
    "headers:object auth:object reconnect limits eras onListening onSessionRestored onWarning",
    streamableClientLimits,
  );
  readLimits(options.limits, streamableClientLimits);
  readLimits(options.reconnect, reconnectLimits, undefined, "reconnect");
  const network = {
    transport: address.transport,
    protocol: "http",
    address: address.socket,
  };
  return {
    url: address.url,
    authorization: options.auth,
    connect: ({ signal } = {}) =>
      signal?.aborted === true
        ? Promise.reject(signal.reason)
        : Promise.resolve(
            new ClientConnection(address.url, { ...options, fetch: socketFetch }, undefined, network),
          ),
  };
}
