import { headersFor, type Exchange } from "@tenon/http/server";
import type { MessageExtra } from "@tenon/jsonrpc2";
import type { AuthInfo, HttpRequestInfo } from "@tenon/protocol";

import type { ServedRequest } from "./server-like.ts";

/**
 * The HTTP request as handlers see it. It is created for every request, so its properties are
 * computed on first use.
 */
export class RequestInfo implements ServedRequest, MessageExtra {
  readonly auth: AuthInfo | undefined;
  /**
   * The address of the client, where the runtime has it. Read at once, because a closed socket has
   * none.
   */
  readonly address: string | undefined;
  /** Ends the event stream of the response, if the client can resume it. */
  closeStream?: () => void;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, auth: AuthInfo | undefined) {
    this.#exchange = exchange;
    this.auth = auth;
    this.address = exchange.remoteAddress;
  }

  /** The network of the client, where the runtime can tell it, or else the address. */
  get network(): string | undefined {
    return this.#exchange.network ?? this.address;
  }

  get http(): HttpRequestInfo {
    const { method, url, headers, address, closeStream } = this;
    return { method, url, headers, address, ...(closeStream === undefined ? {} : { closeStream }) };
  }

  get method(): string {
    return this.#exchange.method;
  }

  get url(): string {
    return this.#exchange.url;
  }

  get headers(): HttpRequestInfo["headers"] {
    return headersFor(this.#exchange, this.auth);
  }
}
