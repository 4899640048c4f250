import { checkOptionNames, readLimits } from "@tenon/base";
import { httpUrl, type AuthProvider } from "@tenon/http/client";
import type { Connection, ConnectOptions, Transport } from "@tenon/jsonrpc2";

import { ClientConnection } from "./connection.ts";
import { reconnectLimits, streamableClientLimits, type StreamableClientOptions } from "./options.ts";

/**
 * Connects to a server over Streamable HTTP, of either era. There is no traffic before the first
 * message.
 *
 * @example `await client.connect(new StreamableClientTransport("https://mcp.example.com/mcp"))`
 * @source S-038, S-237
 */
export class StreamableClientTransport implements Transport {
  readonly url: URL;
  /** The provider of credentials, as given in the options. */
  readonly authorization: AuthProvider | undefined;
  readonly #options: StreamableClientOptions;

  /**
   * Does not connect yet.
   *
   * @throws `TypeError` if the URL does not start with http:// or https://, and for options that
   *   do not exist or are out of range.
   */
  constructor(url: string | URL, options: StreamableClientOptions = {}) {
    this.url = httpUrl(url);
    this.authorization = options.auth;
    checkOptionNames(
      "new StreamableClientTransport",
      options,
      [
        "fetch:function headers:object auth:object reconnect limits fallback eras onListening",
        "onSessionRestored onWarning",
      ],
      streamableClientLimits,
    );
    readLimits(options.limits, streamableClientLimits);
    readLimits(options.reconnect, reconnectLimits, undefined, "reconnect");
    this.#options = options;
  }

  /** May be called any number of times: every connection has a session of its own. */
  connect({ signal }: ConnectOptions = {}): Promise<Connection> {
    return signal?.aborted === true
      ? Promise.reject(signal.reason)
      : Promise.resolve(new ClientConnection(this.url, this.#options));
  }
}
