import { keepNewest } from "../../shared/keep-newest.ts";

/** Maximum number of servers whose values are kept. */
const maxOrigins = 64;
/** Maximum length of a nonce. */
const maxNonce = 1024;

/**
 * The nonces and the clocks of servers, which proofs of possession need. Each origin has its own.
 */
export interface Nonces {
  /** Returns the last nonce of a server. */
  get(url: URL): string | undefined;
  /**
   * Remembers the nonce of a response. A response without a nonce changes nothing.
   *
   * @returns Whether the response had a nonce.
   */
  learn(url: URL, nonce: string | undefined): boolean;
  /** Returns how far the clock of a server is ahead, in milliseconds. */
  skew(url: URL): number;
  /** Sets how far the clock of a server is ahead, in milliseconds. */
  setSkew(url: URL, ms: number): void;
}

/**
 * Creates {@link Nonces} for at most 64 servers. A further server replaces the server from which
 * nothing was learned for the longest time.
 */
export function createNonces(): Nonces {
  const servers = new Map<string, { nonce?: string; skew: number }>();
  function of({ origin }: URL): { nonce?: string; skew: number } {
    const found = servers.get(origin) ?? { skew: 0 };
    keepNewest(servers, origin, found, maxOrigins);
    return found;
  }
  return {
    get: ({ origin }) => servers.get(origin)?.nonce,
    learn(url, nonce) {
      if (nonce === undefined || nonce === "" || nonce.length > maxNonce) {
        return false;
      }
      of(url).nonce = nonce;
      return true;
    },
    skew: ({ origin }) => servers.get(origin)?.skew ?? 0,
    setSkew(url, ms) {
      of(url).skew = ms;
    },
  };
}
