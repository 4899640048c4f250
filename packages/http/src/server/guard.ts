import type { Exchange } from "./exchange.ts";
import { hostName, hostPolicy, originPolicy } from "./origins.ts";

/** The hosts and origins that may send requests. */
export interface GuardOptions {
  /**
   * The hosts that requests may name in `Host`, or `"any"`. An entry has no port: it allows every
   * port of the host. Default: `localhost`, `127.0.0.1` and `[::1]`. `Host` is the only sign of a
   * page that makes a browser resolve its own name to this machine (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /**
   * The origins whose pages may send requests, such as `https://app.example.com`, or `"any"`.
   * Requests without `Origin` do not come from a page and are accepted. Default: pages of the
   * loopback hosts, while the request itself is for one of them.
   *
   * @source T-89
   */
  readonly allowedOrigins?: readonly string[] | "any" | undefined;
}

/** Returns why a request is refused, or `undefined` if it is not. Only its headers are read. */
export type Guard = (exchange: Pick<Exchange, "header">) => string | undefined;

/**
 * Checks `Host` and `Origin`. A request that fails the check gets 403.
 *
 * @throws `TypeError` for entries that no header can equal, such as an origin without a scheme.
 *
 * @source
 */
export function createHostGuard(options: GuardOptions = {}): Guard {
  const { allowedHosts, allowedOrigins } = options;
  const hostAllowed = hostPolicy(allowedHosts);
  const originAllowed = originPolicy(allowedOrigins);
  /** The last accepted `Host`, verbatim: clients repeat it. */
  let usual: string | undefined;

  function hostProblem(exchange: Pick<Exchange, "header">): string | undefined {
    const header = exchange.header("host");
    if (allowedHosts === "any" || (header !== undefined && header === usual)) {
      return undefined;
    }
    const host = hostName(header);
    if (!hostAllowed(host)) {
      return `Forbidden: the Host ${printable(host)} is not among the allowedHosts of this server`;
    }
    usual = header;
    return undefined;
  }

  function originProblem(exchange: Pick<Exchange, "header">): string | undefined {
    const origin = exchange.header("origin");
    if (origin === undefined) {
      const crossSite = exchange.header("sec-fetch-site") === "cross-site";
      return crossSite ? "Forbidden: a page of another site sent this request" : undefined;
    }
    return originAllowed(origin, exchange)
      ? undefined
      : `Forbidden: the Origin ${printable(origin)} is not among the allowedOrigins of this server`;
  }

  return (exchange) => hostProblem(exchange) ?? originProblem(exchange);
}

function printable(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
