import { environmentFetch, proxyFetch, type FetchLike } from "@tenon/http/client";

import type { Invocation } from "../command/invocation.ts";

/** The proxy of the options, or `false` for none. Default: the proxy of the environment. */
export function chosenProxy({ flags }: Invocation): string | false | undefined {
  return flags.has("no-proxy") ? false : flags.text("proxy");
}

/** Sends requests as `--proxy` and `--no-proxy` say; `undefined`: as the environment says. */
export function proxyOf(invocation: Invocation): FetchLike | undefined {
  const proxy = chosenProxy(invocation);
  return proxy === undefined ? undefined : proxyFetch(proxy);
}

/** A `fetch` that sends requests as the options or the environment say. */
export function fetchOf(invocation: Invocation): typeof fetch {
  const send = proxyOf(invocation) ?? environmentFetch;
  return (input, init) => send(new URL(input instanceof Request ? input.url : input), init ?? {});
}
