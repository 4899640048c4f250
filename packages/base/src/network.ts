const address4Or6 = /^\s*(?:(\d+(?:\.\d+){3})|\[?([\da-f:.]+)(?:%[^\]]*)?\]?)(?::\d+)?\s*$/i;

/**
 * Returns the network to which the IP address of a sender belongs: an IPv4 address itself, and the
 * first 64 bits of an IPv6 address, because one subscriber has all addresses of such a network. All
 * spellings of an address have the same network. Ports, which some proxies write, and zones are
 * left out. Returns undefined for a string that is not an IP address.
 */
export function networkOfAddress(address: string): string | undefined {
  const [, four, six = ""] = address4Or6.exec(address) ?? [];
  const url = `http://${four ?? `[${six}]`}`;
  if (!URL.canParse(url)) {
    return undefined;
  }
  const { hostname } = new URL(url);
  const groups = groupsOfV6(hostname.slice(1, -1));
  const [high = 0, low = 0] = groups.slice(6);
  if (hostname.startsWith("[::ffff:") && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  return four === undefined ? groups.slice(0, 4).join(":") : hostname;
}

/** Returns the eight groups of 16 bits of an IPv6 address, as `URL` writes it: in hexadecimal. */
export function groupsOfV6(address: string): readonly number[] {
  const [head = [], tail = []] = address
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
}
