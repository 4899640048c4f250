import { isRecord } from "@tenon/base";

import type { FetchLike } from "../fetch-wire.ts";
import { fetchOver } from "../wire-fetch.ts";
import type { Wire } from "../wire.ts";
import type { FoundProxy } from "./found-proxy.ts";
import { lazily } from "./lazily.ts";
import { namesProxy, type Environment } from "./names-proxy.ts";

/**
 * `undici` with its own pool: the `fetch` of Node ends an idle body after 300 s, and costs
 * several times as much. The first request loads it, since programs that never send one would
 * wait for it longer than for everything else. If the environment names proxies, requests are
 * sent through them.
 */
export const platformWire: Wire = wireIn(() => process.env);

function wireIn(environment: () => Environment): Wire {
  return lazily(async () =>
    namesProxy(environment())
      ? (await import("./proxied.lazy.ts")).environmentWire(environment())
      : (await import("./undici.lazy.ts")).undiciWire,
  );
}

/**
 * Returns a `fetch` for the options of transports and of `createOAuth` that sends requests
 * through a proxy, whatever the environment says.
 *
 * @param proxy - The URL of the proxy, with its credentials if it needs any; `false`: no proxy; an
 *   object: the proxies that these environment variables name (`HTTP_PROXY`, `HTTPS_PROXY` and
 *   `NO_PROXY`), for example the variables of another process.
 * @throws `TypeError` for any other value, and on platforms other than Node.
 */
export function proxyFetch(proxy: string | false | Environment): FetchLike {
  if (typeof proxy === "object" && isRecord(proxy)) {
    return fetchOver(wireIn(() => proxy));
  }
  if (proxy !== false && (typeof proxy !== "string" || proxy === "")) {
    throw new TypeError("proxyFetch needs the URL of a proxy, false, or environment variables.");
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

/**
 * Finds the proxy by which requests to a server must be sent. It is for programs that send requests
 * without this package.
 *
 * @param proxy - As of {@link proxyFetch}. Default: the proxy of the environment.
 * @returns `undefined` if the server is reached directly, and on platforms other than Node.
 * @throws `HttpError` for a value that is not the URL of a proxy.
 */
export async function findProxy(url: URL, proxy?: string | false): Promise<FoundProxy | undefined> {
  if (proxy === false || (proxy === undefined && !namesProxy(process.env))) {
    return undefined;
  }
  const { environmentProxies, oneProxy, proxyCredentials, proxyFor } = await import("./proxies.ts");
  const proxies = proxy === undefined ? environmentProxies(process.env) : oneProxy(proxy);
  const found = proxyFor(proxies, url);
  return found && { origin: new URL(found.origin), headers: proxyCredentials(found) };
}
