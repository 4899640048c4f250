import type { Exchange } from "./exchange.ts";

/**
 * The origins whose pages are allowed: a list, `"any"`, or by default the origins of this computer.
 */
export type AllowedOrigins = readonly string[] | "any" | undefined;

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Makes the test of an `Origin` against a list. Without a list it admits pages of loopback hosts,
 * while the request itself is for one of them.
 *
 * @throws `TypeError` for entries that no `Origin` header can equal, such as a host without a
 *   scheme.
 */
export function originPolicy(
  allowed: AllowedOrigins,
): (origin: string, exchange: Pick<Exchange, "header">) => boolean {
  if (allowed === undefined) {
    return (origin, exchange) =>
      loopback.has(hostName(exchange.header("host"))) && loopback.has(originHost(origin));
  }
  if (allowed === "any") {
    return () => true;
  }
  const origins = new Set(checkedList("allowedOrigins", allowed, originMistake));
  return (origin) => origins.has(origin);
}

/**
 * Makes the test of a `Host` header, without its port, against a list; by default it admits the
 * loopback hosts.
 *
 * @throws `TypeError` for entries that no `Host` header can equal, such as a URL, and for a port.
 */
export function hostPolicy(allowed: readonly string[] | "any" | undefined): (host: string) => boolean {
  if (allowed === "any") {
    return () => true;
  }
  const hosts =
    allowed === undefined
      ? loopback
      : new Set(checkedList("allowedHosts", allowed, hostMistake).map((host) => host.toLowerCase()));
  return (host) => hosts.has(host);
}

const hostAndPort = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d*)?$/;

/** A host without its port, in lower case; unchanged if it is not valid. */
export function hostName(host = ""): string {
  const name = host.toLowerCase();
  return hostAndPort.exec(name)?.[1] ?? name;
}

function originHost(origin: string): string {
  const match = /^https?:\/\/(\[[0-9a-f:.]+\]|[^:/]+)(?::\d+)?$/i.exec(origin);
  return match?.[1]?.toLowerCase() ?? "";
}

function checkedList(
  option: string,
  list: unknown,
  mistake: (entry: string) => string | undefined,
): readonly string[] {
  if (!Array.isArray(list)) {
    throw new TypeError(`${option} must be an array or "any"; got ${shown(list)}.`);
  }
  for (const entry of list as readonly unknown[]) {
    const expected = typeof entry === "string" ? mistake(entry) : "strings";
    if (expected !== undefined) {
      throw new TypeError(`${option} must contain ${expected}; got ${shown(entry)}.`);
    }
  }
  return list as readonly string[];
}

/**
 * The expected form of an entry. `null` is the origin of sandboxed pages; browser extensions and
 * apps have other schemes.
 */
function originMistake(entry: string): string | undefined {
  const expected = 'origins such as "https://chat.example.com" (or be "any", without a list)';
  if (entry === "null") {
    return undefined;
  }
  const [, scheme, host] = /^([a-z][a-z\d+.-]*):\/\/([^/?#\s*@]+)$/.exec(entry) ?? [];
  if (scheme === undefined || host === undefined) {
    return expected;
  }
  const serialized = scheme.startsWith("http") && URL.canParse(entry) ? new URL(entry).origin : entry;
  return serialized === entry ? undefined : `origins as browsers send them, here ${shown(serialized)}`;
}

function hostMistake(entry: string): string | undefined {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@*[\]]+)(:\d*)?$/i.exec(entry) ?? [];
  if (host === undefined) {
    return 'host names such as "mcp.example.com" (or be "any", without a list)';
  }
  return port === undefined
    ? undefined
    : `hosts without a port, here ${shown(host)}, which allows every port`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? typeof value).slice(0, 100);
}
