import type { Exchange } from "./exchange.ts";

/** A request without the means to answer it. */
export interface RequestDescription {
  readonly method: string;
  /** The target as it was received: a path with its query, or a whole URL. */
  readonly url: string;
  readonly headers: { get(name: string): string | undefined };
}

/** What may be shown of a request to those who do not answer it. */
export function describeRequest(exchange: Exchange): RequestDescription {
  const { method, url } = exchange;
  return { method, url, headers: { get: (name) => exchange.header(name.toLowerCase()) } };
}
