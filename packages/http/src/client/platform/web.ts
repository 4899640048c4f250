import { fetchWire, type FetchLike } from "../fetch-wire.ts";
import type { Wire } from "../wire.ts";
import type { FoundProxy } from "./found-proxy.ts";
import type { Environment } from "./names-proxy.ts";

/** The platform's own `fetch`. */
export const environmentFetch: FetchLike = (input, init) => fetch(input, init);

/** The platform's own `fetch`. */
export const platformWire: Wire = /* @__PURE__ */ fetchWire(environmentFetch);

/** Proxies can be chosen on Node only. @throws `TypeError` for any value but `false`. */
export function proxyFetch(proxy: string | false | Environment): FetchLike {
  if (proxy === false) {
    return environmentFetch;
  }
  throw new TypeError("proxyFetch works on Node only. Configure the proxy of the platform.");
}

/** Finds no proxy: the platform uses its own. */
export function findProxy(_url: URL, _proxy?: string | false): Promise<FoundProxy | undefined> {
  return Promise.resolve(undefined);
}
