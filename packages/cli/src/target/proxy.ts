import { environmentFetch, proxyFetch, type FetchLike } from "@tenon/http/client";

import type { Invocation } from "../command/invocation.ts";

/** The proxy of a server: `false` allows none, and `undefined` is the proxy of the environment. */
export type Proxy = string | false | undefined;

/** The proxy of the options, or else of the server in a configuration. */
export function chosenProxy({ flags }: Invocation, configured?: Proxy): Proxy {
  return flags.has("no-proxy") ? false : (flags.text("proxy") ?? configured);
}

/** Sends requests through the chosen proxy; `undefined`: as the environment says. */
export function proxyOf(invocation: Invocation, configured?: Proxy): FetchLike | undefined {
  const proxy = chosenProxy(invocation, configured) ?? invocation.proxies;
  return proxy === undefined ? undefined : proxyFetch(proxy);
}

/** A `fetch` that sends requests through the chosen proxy, or as the environment says. */
export function fetchOf(invocation: Invocation, configured?: Proxy): typeof fetch {
  const send = proxyOf(invocation, configured) ?? environmentFetch;
  return (input, init) => send(new URL(input instanceof Request ? input.url : input), init ?? {});
}
