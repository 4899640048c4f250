import type { Exchange } from "./exchange.ts";

/** Who may send requests. */
export interface GuardOptions {
  /**
   * The hosts that requests may name in `Host`, without ports, or `"any"`. Default: `localhost`, `127.0.0.1` and `[::1]`. A page that makes a browser
   * resolve its own name to this machine (DNS rebinding) is told apart by its `Host` alone.
   */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /**
   * The origins whose pages may send requests, such as `https://app.example.com`, or `"any"`. Requests without `Origin` do not come from a page and are let
   * through. Default: pages of the loopback hosts, while the request itself is for one of them.
   *
   * @source T-89
   */
  readonly allowedOrigins?: readonly string[] | "any" | undefined;
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Says what is wrong with a request, `undefined` if nothing is. */
export type Guard = (exchange: Exchange) => string | undefined;

/** Checks `Host` and `Origin`: the answer to a request that fails is 403. @source */
export function createGuard(options: GuardOptions = {}): Guard {
  const hosts = options.allowedHosts === "any" ? undefined : hostSet(options.allowedHosts);
  const origins = options.allowedOrigins === "any" ? undefined : new Set(options.allowedOrigins);
  const loopbackOrigins = options.allowedOrigins === undefined;
  /** The `Host` that was let through last, as it was written: clients write the same one over and over. */
  let usual: string | undefined;

  function hostProblem(exchange: Exchange): string | undefined {
    const header = exchange.header("host");
    if (hosts === undefined || (header !== undefined && header === usual)) {
      return undefined;
    }
    const host = hostName(header);
    if (!hosts.has(host)) {
      return `Forbidden: the Host ${printable(host)} is not among the allowedHosts of this server`;
    }
    usual = header;
    return undefined;
  }

  function originProblem(exchange: Exchange): string | undefined {
    const origin = exchange.header("origin");
    if (origin === undefined) {
      const crossSite = exchange.header("sec-fetch-site") === "cross-site";
      return crossSite ? "Forbidden: a page of another site sent this request" : undefined;
    }
    if (origins === undefined || origins.has(origin)) {
      return undefined;
    }
    const local =
      loopbackOrigins && loopback.has(hostName(exchange.header("host"))) && loopback.has(originHost(origin));
    return local
      ? undefined
      : `Forbidden: the Origin ${printable(origin)} is not among the allowedOrigins of this server`;
  }

  return (exchange) => hostProblem(exchange) ?? originProblem(exchange);
}

function hostSet(names: readonly string[] | undefined): ReadonlySet<string> {
  return names === undefined ? loopback : new Set(names.map((name) => hostName(name)));
}

const hostAndPort = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d*)?$/;

/** A host without its port, in lower case; as it is if it is none. */
function hostName(host = ""): string {
  const name = host.toLowerCase();
  return hostAndPort.exec(name)?.[1] ?? name;
}

function originHost(origin: string): string {
  const match = /^https?:\/\/(\[[0-9a-f:.]+\]|[^:/]+)(?::\d+)?$/i.exec(origin);
  return match?.[1]?.toLowerCase() ?? "";
}

function printable(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
