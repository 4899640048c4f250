import { isHttpError, placeOf } from "@tenon/http/client";

import { isGatekeeping } from "./gatekeeping.ts";

/**
 * Remembers the era of servers by their URL without its query, because two servers of one origin
 * may have different eras. A `Map` implements it. `server/discover` is not sent to a server that is
 * known to be a legacy server; the transport returns `-32601` with `data.remembered` instead. If
 * the handshake then fails, or the request is sent again, the entry is deleted.
 */
export interface EraCache {
  /** Returns the era of the server at a URL, `undefined` if it is unknown or modern. */
  get(server: string): "legacy" | undefined;
  /** Remembers a server. */
  set(server: string, era: "legacy"): unknown;
  /** Forgets a server. */
  delete(server: string): unknown;
}

/** The knowledge about a server from earlier connections. */
export interface RememberedEra {
  /**
   * Whether `server/discover` need not be sent, because the server is known to be a legacy server.
   * True once at most: a second request is sent.
   */
  readonly skipsDiscovery: () => boolean;
  /**
   * The server works in the legacy era. It is remembered only if it responded to `server/discover`
   * on this connection, because timeouts and failures happen in both eras, and a client of the
   * legacy era does not send `server/discover`.
   */
  readonly remember: () => void;
  readonly forget: () => void;
  /** The server has responded to `server/discover`. */
  readonly answered: () => void;
}

/** The entry of one server in a cache. @param cache - If `undefined`, nothing is cached. */
export function rememberedEra(cache: EraCache | undefined, url: URL): RememberedEra {
  const server = placeOf(url);
  let isSkipped = false;
  let isAnswered = false;
  const forget = (): void => void cache?.delete(server);
  return {
    skipsDiscovery() {
      if (cache?.get(server) === "legacy") {
        if (!isSkipped) {
          isSkipped = true;
          return true;
        }
        forget();
      }
      return false;
    },
    remember() {
      if (isAnswered) {
        cache?.set(server, "legacy");
      }
    },
    forget,
    answered() {
      isAnswered = true;
    },
  };
}

/**
 * Notes whether the server responds to `server/discover`. A 5xx does not count, because it is
 * possible in both eras, except 501, which means an unknown method.
 */
export async function noteAnswer(asking: Promise<void>, era: RememberedEra): Promise<void> {
  try {
    await asking;
    era.answered();
  } catch (error) {
    const status = isHttpError(error) ? error.status : undefined;
    if (status !== undefined && (!isGatekeeping(status) || status === 501)) {
      era.answered();
    }
    throw error;
  }
}

const maxEntries = 256;
const maxAgeMs = 3_600_000;

/**
 * Makes a cache of at most 256 servers, each for an hour: after that it may have been brought up to
 * date.
 */
// @__NO_SIDE_EFFECTS__
export function createEraCache(): EraCache {
  const since = new Map<string, number>();
  return {
    get(server) {
      const at = since.get(server);
      return at !== undefined && performance.now() - at < maxAgeMs ? "legacy" : undefined;
    },
    set(server) {
      since.delete(server);
      since.set(server, performance.now());
      if (since.size > maxEntries) {
        since.delete(since.keys().next().value ?? server);
      }
    },
    delete: (server) => since.delete(server),
  };
}

/** The cache of the process. */
export const processEras: EraCache = createEraCache();
