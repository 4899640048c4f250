const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/;
const v4WithPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
const v4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const v6 = /^[0-9a-f:.]+$/i;

/**
 * Returns the network to which the IP address of a sender belongs: an IPv4 address itself, and the
 * first 64 bits of an IPv6 address, because one subscriber has all addresses of such a network. All
 * spellings of an address have the same network. Ports, which some proxies write, and zones are
 * left out. Returns undefined for a string that is not an IP address.
 */
export function networkOfAddress(address: string): string | undefined {
  const text = address.trim();
  const host = bracketed.exec(text)?.[1] ?? v4WithPort.exec(text)?.[1] ?? text;
  const bytes = bytesOfV4(host);
  if (bytes !== undefined) {
    return bytes.join(".");
  }
  const groups = groupsOfV6(host.replace(/%.*$/, ""));
  if (groups === undefined) {
    return undefined;
  }
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped
    ? [high >> 8, high & 255, low >> 8, low & 255].join(".")
    : `${groups
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(":")}::/64`;
}

function bytesOfV4(text: string): readonly number[] | undefined {
  const bytes = v4.test(text) ? text.split(".").map(Number) : [];
  return bytes.length === 4 && bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Returns the eight groups of 16 bits of an IPv6 address, or undefined for any other string. */
export function groupsOfV6(text: string): readonly number[] | undefined {
  const url = `http://[${text}]`;
  if (!v6.test(text) || !URL.canParse(url)) {
    return undefined;
  }
  // The host of a URL has the shortest form, with hexadecimal groups only.
  const [before = "", after] = new URL(url).hostname.slice(1, -1).split("::");
  const groupsIn = (part: string | undefined): number[] =>
    part === undefined || part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groupsIn(before), groupsIn(after)];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
