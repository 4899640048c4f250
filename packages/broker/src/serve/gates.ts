import { networkOfAddress, type ResolvedLimits } from "@tenon/base";
import type { RateLimits, RateRule } from "@tenon/stores";

import type { BrokerLimits } from "../options.ts";

/** Limits on the rates of strangers. */
export interface Gates {
  /** Returns after how many milliseconds a client may register; 0 if it may now. */
  registration(address: string | undefined): Promise<number>;
  /** The same for the start of a login. */
  login(address: string | undefined): Promise<number>;
  /** The same for a visit to a provider: one login can send its user there any number of times. */
  visit(address: string | undefined): Promise<number>;
  /** Whether a grant may have another refresh token now. */
  refresh(grant: string): Promise<boolean>;
  /**
   * Whether the document of a client may be fetched. Clients that users have allowed have limits of
   * their own, which strangers cannot use up.
   */
  document(url: string, address: string | undefined, isKnown: boolean): Promise<boolean>;
}

const [hour, minute] = [3600, 60];
/** Documents of clients: in all, for one sender, and at one host. */
const documents: RateRule = { burst: 60, perSecond: 1 };
const documentsOfSender: RateRule = { burst: 10, perSecond: 1 / 10 };
const documentsOfHost: RateRule = { burst: 10, perSecond: 1 / 30 };

/** Creates the gates. Private addresses, such as the addresses of proxies, have no own limit. */
export function createGates(
  rates: RateLimits,
  { accessTokenTtlMs, maxRegistrations, maxRegistrationsPerAddress, maxLogins }: ResolvedLimits<BrokerLimits>,
  issuer: string,
): Gates {
  const take = async (key: string, rule: RateRule): Promise<number> => {
    const { allowed, retryAfterMs } = await rates.take(`broker:${issuer}:${key}`, rule);
    return allowed ? 0 : Math.max(1, retryAfterMs);
  };
  const inTime = (count: number, seconds: number): RateRule => ({ burst: count, perSecond: count / seconds });
  const networkOf = (address: string | undefined): string | undefined =>
    address === undefined || isInside(address) ? undefined : networkOfAddress(address);
  const inMinute =
    (kind: string) =>
    async (address: string | undefined): Promise<number> => {
      const network = networkOf(address);
      const share = Math.max(1, Math.floor(maxLogins / 10));
      const own = network === undefined ? 0 : await take(`${kind}:${network}`, inTime(share, minute));
      return own > 0 ? own : take(kind, inTime(maxLogins, minute));
    };
  // A client needs one for each access token, and its tabs or processes may share a grant.
  const refreshes: RateRule = { burst: 60, perSecond: 30_000 / accessTokenTtlMs };
  return {
    async registration(address) {
      const network = networkOf(address);
      const own =
        network === undefined
          ? 0
          : await take(`register:${network}`, inTime(maxRegistrationsPerAddress, hour));
      return own > 0 ? own : take("register", inTime(maxRegistrations, hour));
    },
    login: inMinute("login"),
    visit: inMinute("visit"),
    refresh: async (grant) => (await take(`refresh:${grant}`, refreshes)) === 0,
    async document(url, address, isKnown) {
      const { host } = new URL(url);
      const network = isKnown ? undefined : networkOf(address);
      const kind = isKnown ? "known-document" : "document";
      return (
        (network === undefined || (await take(`document-from:${network}`, documentsOfSender)) === 0) &&
        (await take(`${kind}:${host}`, documentsOfHost)) === 0 &&
        (await take(kind, documents)) === 0
      );
    },
  };
}

/** Addresses of this computer and of private networks: proxies have them. */
function isInside(address: string): boolean {
  return /^(?:::ffff:)?(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)|^::1$|^f[cd]|^fe80/i.test(
    address,
  );
}
