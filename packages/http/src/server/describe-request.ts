import type { Exchange } from "./exchange.ts";

/** A request without the means to respond to it. */
export interface RequestDescription {
  readonly method: string;
  /** The target as it was received: a path with its query, or a whole URL. */
  readonly url: string;
  /**
   * The IP address of the sender, or of the last proxy before this server. Where the runtime does
   * not provide the address, as with `fetch`, it is `undefined`.
   */
  readonly address?: string | undefined;
  readonly headers: {
    get(name: string): string | undefined;
    /**
     * How many lines of the request have this name, where the runtime knows: `get` may return the
     * first of them only.
     */
    count?(name: string): number | undefined;
  };
}

const credentials: ReadonlySet<string> = new Set(["authorization", "dpop"]);

/** Describes a request for `authenticate`. */
export function describeRequest(exchange: Exchange): RequestDescription {
  const { method, url } = exchange;
  const get = (name: string): string | undefined => exchange.header(name.toLowerCase());
  return {
    method,
    url,
    get address() {
      return exchange.remoteAddress;
    },
    headers: { get, count: (name) => exchange.headerLines?.(name.toLowerCase()) },
  };
}

/**
 * The headers that the handlers of a request may read.
 *
 * @param auth - Who sent the request. If that is known, the credentials are left out: what handlers
 *   cannot read, they cannot forward to another server.
 * @source R-727
 */
export function headersFor(
  exchange: Exchange,
  auth: unknown,
): Iterable<readonly [name: string, value: string]> & { get(name: string): string | undefined } {
  const isHidden = (key: string): boolean => auth !== undefined && credentials.has(key);
  return {
    get: (name) => {
      const key = name.toLowerCase();
      return isHidden(key) ? undefined : exchange.header(key);
    },
    *[Symbol.iterator]() {
      for (const field of exchange.headers?.() ?? []) {
        if (!isHidden(field[0])) {
          yield field;
        }
      }
    },
  };
}
