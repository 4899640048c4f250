import { isHostname, isIdnHostname } from "./hostname.ts";
import { isIpv4, isIpv6 } from "./ip.ts";

const atext = "a-z\\d!#$%&'*+/=?^_`{|}~\\-";
const qtext = "(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])";
const local = new RegExp(`^(?:[${atext}]+(?:\\.[${atext}]+)*|"${qtext}*")$`, "i");
// RFC 6531 §3.3 adds every non-ASCII character.
const idnLocal = new RegExp(
  `^(?:[${atext}\\u0080-\\u{10ffff}]+(?:\\.[${atext}\\u0080-\\u{10ffff}]+)*|"(?:${qtext}|[\\u0080-\\u{10ffff}])*")$`,
  "iu",
);

// Matches most addresses. The domain has no label with two hyphens, so none is an A-label.
const common = /^[\w+-]+(?:\.[\w+-]+)*@[a-zA-Z\d]+(?:[.-][a-zA-Z\d]+)*$/;

function isMailbox(text: string, local: RegExp, isDomain: (domain: string) => boolean): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || at > 256 || !local.test(text.slice(0, at))) {
    return false;
  }
  const domain = text.slice(at + 1);
  if (!domain.startsWith("[") || !domain.endsWith("]")) {
    return isDomain(domain);
  }
  const address = domain.slice(1, -1);
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address);
}

/** `Mailbox` of RFC 5321 §4.1.2. */
export const isEmail = (text: string): boolean =>
  (text.length < 64 && common.test(text)) || isMailbox(text, local, isHostname);

/** `Mailbox` as extended by RFC 6531; the domain is compared after NFC. */
export const isIdnEmail = (text: string): boolean =>
  isMailbox(text, idnLocal, (domain) => isIdnHostname(domain.normalize("NFC")));
