import type { FetchLike } from "../fetch-wire.ts";
import { fetchOver } from "../wire-fetch.ts";
import { noteFailure, type Wire } from "../wire.ts";
import { namesProxy } from "./names-proxy.ts";

/**
 * `undici` with its own pool: the `fetch` of Node ends an idle body after 300 s, and costs
 * several times as much. The first request loads it, since programs that never send one would
 * wait for it longer than for everything else. If the environment names proxies, requests are
 * sent through them.
 */
export const platformWire: Wire = lazily(async () =>
  namesProxy(process.env)
    ? (await import("./proxied.lazy.ts")).environmentWire()
    : (await import("./undici.lazy.ts")).undiciWire,
);

/**
 * Returns a `fetch` for the options of transports and of `createOAuth` that sends requests
 * through a proxy, whatever the environment says.
 *
 * @param proxy - The URL of the proxy, with its credentials if it needs any; `false`: no proxy.
 * @throws `TypeError` for any other value, and on platforms other than Node.
 */
export function proxyFetch(proxy: string | false): FetchLike {
  if (proxy !== false && (typeof proxy !== "string" || proxy === "")) {
    throw new TypeError("proxyFetch needs the URL of a proxy, or false.");
  }
  return fetchOver(
    lazily(async () =>
      proxy === false
        ? (await import("./undici.lazy.ts")).undiciWire
        : (await import("./proxied.lazy.ts")).wireOf(proxy),
    ),
  );
}

/** The `fetch` of the platform, which respects the proxies of the environment on Node. */
export const environmentFetch: FetchLike = (input, init) =>
  namesProxy(process.env) ? fetchOver(platformWire)(input, init) : fetch(input, init);

/** A wire that its first request loads. */
function lazily(load: () => Promise<Wire>): Wire {
  let loading: Promise<Wire> | undefined;
  let loaded: Wire | undefined;
  const start = (): Promise<Wire> =>
    (loading ??= load().then(
      (wire) => {
        loaded = wire;
        return wire;
      },
      (error: unknown) => {
        loading = undefined;
        noteFailure(error, { reused: false, connected: false });
        throw error;
      },
    ));
  return (request) => (loaded === undefined ? start().then((wire) => wire(request)) : loaded(request));
}
