import { BlockList, isIP } from "node:net";

import { HttpError } from "../../error.ts";
import type { Environment } from "./names-proxy.ts";

/** Which proxies lead to which servers. */
export interface Proxies {
  readonly http: NamedProxy | undefined;
  readonly https: NamedProxy | undefined;
  /** Whether requests to a server are sent directly. */
  bypasses(url: URL): boolean;
}

/** The URL of a proxy, unchecked, and the variable that it comes from. */
interface NamedProxy {
  readonly name: string;
  readonly value: string;
}

/**
 * Reads the proxies of the environment, as curl, undici and Node do: names in lower case count
 * first, and `NO_PROXY` lists servers that are reached directly. `NODE_USE_ENV_PROXY=0` turns all
 * of them off.
 */
export function environmentProxies(env: Environment): Proxies {
  const [http, https, noProxy = ""] = ["http_proxy", "https_proxy", "no_proxy"].map((name) => {
    const upper = name.toUpperCase();
    // Servers that run CGI programs pass the header `Proxy` of their clients on as HTTP_PROXY.
    const isForged = upper === "HTTP_PROXY" && env["REQUEST_METHOD"] !== undefined;
    return env[name] ?? (isForged ? undefined : env[upper]);
  });
  return {
    http: http === undefined || http === "" ? undefined : { name: "HTTP_PROXY", value: http },
    https: https === undefined || https === "" ? undefined : { name: "HTTPS_PROXY", value: https },
    bypasses: bypassOf(noProxy),
  };
}

/** One proxy for all servers. */
export function oneProxy(value: string): Proxies {
  const proxy = { name: "proxy", value };
  return { http: proxy, https: proxy, bypasses: () => false };
}

/** Reads the URL of a proxy. Without a scheme it is http. */
function proxyUrl({ name, value }: NamedProxy): URL {
  const text = value.includes("://") ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    const shown = url === undefined ? "a value that is not a URL" : `the scheme ${url.protocol}`;
    throw new HttpError(
      "NETWORK",
      `${name} must be the URL of a proxy that starts with http:// or https://; got ${shown}.`,
      { delivered: "no" },
    );
  }
  return url;
}

/**
 * Reads a list of servers without a proxy: names (with their subdomains), addresses, ranges of
 * addresses as `10.0.0.0/8` or `10.0.0.1-10.0.0.9`, each with or without a port, and `*`.
 */
function bypassOf(list: string): (url: URL) => boolean {
  const entries = list
    .split(/[,\s]+/)
    .filter((entry) => entry !== "")
    .map(entryOf);
  return (url) => {
    const host = url.hostname
      .toLowerCase()
      .replace(/^\[|\]$/g, "")
      .replace(/\.$/, "");
    const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
    return entries.some((entry) => (entry.port === "" || entry.port === port) && entry.matches(host));
  };
}

function entryOf(text: string): { readonly port: string; matches(host: string): boolean } {
  // An address of IPv6 with a port is in brackets.
  const [, host = text, port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^\*?\.|\.$/g, "");
  if (name === "*") {
    return { port, matches: () => true };
  }
  const [first = "", last] = name.split(/[/-]/);
  const kind = isIP(first) === 6 ? "ipv6" : "ipv4";
  if (isIP(first) !== 0) {
    try {
      const block = new BlockList();
      if (last === undefined) {
        block.addAddress(first, kind);
      } else if (name.includes("/")) {
        block.addSubnet(first, Number(last), kind);
      } else {
        block.addRange(first, last, kind);
      }
      return {
        port,
        matches: (host) => isIP(host) !== 0 && block.check(host, isIP(host) === 6 ? "ipv6" : "ipv4"),
      };
    } catch {
      // Not a range: the name of a host.
    }
  }
  return { port, matches: (host) => host === name || host.endsWith(`.${name}`) };
}

/**
 * The proxy that leads to a server, if one does. @throws `HttpError` for a value that is not the
 * URL of a proxy.
 */
export function proxyFor(proxies: Proxies, url: URL): URL | undefined {
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http;
  return proxy === undefined || proxies.bypasses(url) ? undefined : proxyUrl(proxy);
}

/** The header by which a client authenticates to a proxy. */
export function proxyCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") {
    return {};
  }
  const text = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Decodes percent-encoding. A `%` of a password that is not part of an escape stays unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The error for a response of a proxy that ends a request. */
export function proxyError(proxy: URL, status: number): HttpError {
  const advice =
    status === 407
      ? "requires credentials: write them into its URL, as http://user:password@host"
      : `refused the connection with status ${status}`;
  return new HttpError("NETWORK", `The proxy ${proxy.protocol}//${proxy.host} ${advice}.`, {
    delivered: "no",
    status: status === 407 ? 407 : undefined,
  });
}
