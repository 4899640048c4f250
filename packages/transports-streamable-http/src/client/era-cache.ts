/**
 * Remembers the era of servers by origin. A `Map` fits. `server/discover` is not sent to a server that is known to be of the legacy era, but answered with −32601 and
 * `data.remembered`; if the handshake fails then, the server is forgotten and asked after all.
 */
export interface EraCache {
  /** The era of the server at an origin; `undefined`: not known, or modern. */
  get(origin: string): "legacy" | undefined;
  /** Remembers a server. */
  set(origin: string, era: "legacy"): unknown;
  /** Forgets a server. */
  delete(origin: string): unknown;
}

const maxEntries = 256;
const maxAgeMs = 3_600_000;

/** Makes a cache of at most 256 servers, each for an hour: after that it may have been brought up to date. */
// @__NO_SIDE_EFFECTS__
export function createEraCache(): EraCache {
  const since = new Map<string, number>();
  return {
    get(origin) {
      const at = since.get(origin);
      return at !== undefined && performance.now() - at < maxAgeMs ? "legacy" : undefined;
    },
    set(origin) {
      since.delete(origin);
      since.set(origin, performance.now());
      if (since.size > maxEntries) {
        since.delete(since.keys().next().value ?? origin);
      }
    },
    delete: (origin) => since.delete(origin),
  };
}

/** The cache of the process. */
export const processEras: EraCache = createEraCache();
