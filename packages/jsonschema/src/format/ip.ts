const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** Dotted quad of RFC 2673 §3.2: four decimal octets without leading zeros. */
export function isIpv4(text: string): boolean {
  return ipv4.test(text);
}

/**
 * IPv6 address of RFC 4291 §2.2, without zone or prefix length, as allowed between the brackets of
 * a URL.
 */
export function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}
