import { groupsOfV6 } from "@tenon/base";

/** Returns whether a host of a `URL` is this machine: `localhost` or a loopback address. */
export function isLocalAddress(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return host === "localhost" || host.endsWith(".localhost") || ipv4(host)?.[0] === 127 || host === "[::1]";
}

/**
 * Returns whether a host of a `URL` is an address that the public internet does not route:
 * loopback, private, link-local, shared, multicast or reserved, in any spelling, including IPv6
 * addresses that contain such an IPv4 address. Names other than `localhost` are not resolved.
 *
 * @source RFC 6890; the registries of special-purpose addresses of IANA
 */
export function isPrivateAddress(hostname: string): boolean {
  if (isLocalAddress(hostname)) {
    return true;
  }
  const four = ipv4(hostname.replace(/\.$/, ""));
  if (four !== undefined) {
    return isPrivateV4(four);
  }
  return hostname.startsWith("[") && isPrivateV6(groupsOfV6(hostname.slice(1, -1)));
}

/** The bytes of an address in dotted form. `URL` has turned every other form into this one. */
function ipv4(host: string): readonly number[] | undefined {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) ? host.split(".").map(Number) : undefined;
}

function isPrivateV4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && (b === 168 || (b === 0 && c <= 2) || (b === 88 && c === 99))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113)
  );
}

/** Whether `groups` start with zeros up to a group. */
function isZeroUntil(groups: readonly number[], end: number): boolean {
  return groups.slice(0, end).every((group) => group === 0);
}

/** The IPv4 address in the groups of an IPv6 address, where the transition mechanisms put it. */
function embeddedV4(groups: readonly number[]): readonly number[] | undefined {
  const [a = 0, b = 0, c = 0, , e = 0, f = 0, high = 0, low = 0] = groups;
  const four = (one: number, other: number): readonly number[] => [
    one >> 8,
    one & 255,
    other >> 8,
    other & 255,
  ];
  // IPv4-mapped (::ffff:…), IPv4-translated (::ffff:0:…) and IPv4-compatible (::…), NAT64, 6to4,
  // ISATAP.
  const isMapped = isZeroUntil(groups, 5) && (f === 0xffff || f === 0);
  const isTranslated = isZeroUntil(groups, 4) && e === 0xffff && f === 0;
  const isNat64 = a === 0x64 && b === 0xff9b && isZeroUntil(groups.slice(2), 4);
  const isIsatap = (e & 0xfdff) === 0 && f === 0x5efe;
  if (isMapped || isTranslated || isNat64 || isIsatap) {
    return four(high, low);
  }
  return a === 0x2002 ? four(b, c) : undefined;
}

function isPrivateV6(groups: readonly number[]): boolean {
  const [a = 0, b = 0] = groups;
  const four = embeddedV4(groups);
  if (four !== undefined && isPrivateV4(four)) {
    return true;
  }
  const isGlobalUnicast = (a & 0xe000) === 0x2000;
  if (!isGlobalUnicast) {
    // Nothing else is routed, but for the addresses that contain a public one.
    return four === undefined;
  }
  return (
    // Protocol assignments, such as Teredo, benchmarking and ORCHID.
    (a === 0x2001 && b < 0x200) || (a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000)
  );
}
