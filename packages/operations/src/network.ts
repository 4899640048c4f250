const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the network to which an address belongs: an IPv4 address itself, and the first 64 bits of
 * an IPv6 address, because one subscriber has all addresses of such a network.
 *
 * @param address - Text that is not an IP address is returned unchanged.
 */
export function networkOf(address: string): string {
  const inner = mapped.exec(address)?.[1];
  if (inner !== undefined) {
    return inner;
  }
  if (!address.includes(":")) {
    return address;
  }
  const [head = "", tail] = address.toLowerCase().split("%", 1)[0]?.split("::", 2) ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
