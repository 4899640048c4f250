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
 * @source RFC 6890
 */
export function isPrivateAddress(hostname: string): boolean {
  if (isLocalAddress(hostname)) {
    return true;
  }
  const four = ipv4(hostname.replace(/\.$/, ""));
  if (four !== undefined) {
    return isPrivateV4(four);
  }
  return hostname.startsWith("[") && isPrivateV6(ipv6(hostname.slice(1, -1)));
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

/** The eight groups of an address as `URL` writes it: compressed, in hexadecimal. */
function ipv6(host: string): readonly number[] {
  const [head = "", tail] = host.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function isPrivateV6(groups: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const embedded = [high >> 8, high & 255, low >> 8, low & 255];
  const isZeroUntil = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  if (isZeroUntil(5) || (a === 0x64 && b === 0xff9b)) {
    // Unspecified, loopback, IPv4-mapped (::ffff:…), IPv4-compatible, and NAT64: the last four
    // bytes are an IPv4 address.
    return c === 1 || isZeroUntil(7) || isPrivateV4(embedded);
  }
  return (
    (a & 0xfe00) === 0xfc00 ||
    (a & 0xff80) === 0xfe80 ||
    (a & 0xff00) === 0xff00 ||
    (a === 0x2001 && (b === 0 || b === 0xdb8)) ||
    // 6to4: the IPv4 address follows the prefix.
    (a === 0x2002 && isPrivateV4([b >> 8, b & 255, c >> 8]))
  );
}
