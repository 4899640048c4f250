const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const GROUP = /^[\da-f]{1,4}$/i;

/** Dotted quad of RFC 2673 §3.2: four decimal octets without leading zeros. */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** IPv6 address of RFC 4291 §2.2, without zone or prefix length. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups: string[] = [];
  for (const half of halves) if (half !== "") groups.push(...half.split(":"));
  let count = groups.length;
  const last = groups.at(-1);
  if (last?.includes(".") === true) {
    // The dotted quad stands for two groups and must end the address.
    if (!isIpv4(last) || !text.endsWith(last)) return false;
    groups.pop();
    count++;
  }
  return groups.every((group) => GROUP.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}
