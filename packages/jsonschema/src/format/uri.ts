import { isIpv6 } from "./ip.ts";

// RFC 3986 appendix B
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;
const schemePattern = /^[a-z][a-z\d+.-]*$/i;
const authority = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:@[\]]*)(?::\d*)?$/;
const future = /^v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+$/i;

const ascii = "\\w\\-.~!$&'()*+,;=";
// ucschar and iprivate of RFC 3987 §2.2
const ucsChars =
  "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{e1000}-\\u{efffd}" +
  Array.from("123456789abcd", (plane) => `\\u{${plane}0000}-\\u{${plane}fffd}`).join("");
const privateUse = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";

interface Characters {
  readonly host: RegExp;
  readonly user: RegExp;
  readonly path: RegExp;
  readonly query: RegExp;
  readonly fragment: RegExp;
}

// @__NO_SIDE_EFFECTS__
function characters(more: string, priv: string): Characters {
  const set = (extra: string): RegExp => new RegExp(`^(?:[${ascii}${more}${extra}]|%[\\da-fA-F]{2})*$`, "u");
  return {
    host: set(""),
    user: set(":"),
    path: set(":@/"),
    query: set(`:@/?${priv}`),
    fragment: set(":@/?"),
  };
}

const uri = characters("", "");
const iri = characters(ucsChars, privateUse);

function isReference(text: string, allowed: Characters, absolute: boolean): boolean {
  const match = parts.exec(text);
  if (match === null) {
    return false;
  }
  const [, scheme, authority, path = "", query = "", fragment = ""] = match;
  // Without a scheme, the first segment of the path has no colon (RFC 3986 §4.2).
  if (scheme === undefined ? absolute || path.startsWith(":") : !schemePattern.test(scheme)) {
    return false;
  }
  if (authority !== undefined && !isAuthority(authority, allowed)) {
    return false;
  }
  return allowed.path.test(path) && allowed.query.test(query) && allowed.fragment.test(fragment);
}

function isAuthority(text: string, allowed: Characters): boolean {
  const match = authority.exec(text);
  if (match === null) {
    return false;
  }
  const [, user = "", host = ""] = match;
  if (!allowed.user.test(user)) {
    return false;
  }
  if (!host.startsWith("[")) {
    return allowed.host.test(host);
  }
  const address = host.slice(1, -1);
  return isIpv6(address) || future.test(address);
}

// Matches most URIs. Every string that it matches is a URI.
const common =
  /^[a-zA-Z][a-zA-Z\d+.-]*:\/\/[\w.-]+(?::\d+)?(?:\/[\w\-.~!$&'()*+,;=:@/]*)?(?:\?[\w\-.~!$&'()*+,;=:@/?]*)?(?:#[\w\-.~!$&'()*+,;=:@/?]*)?$/;

/** `URI` of RFC 3986 §3. */
export const isUri = (text: string): boolean => common.test(text) || isReference(text, uri, true);
/** `URI-reference` of RFC 3986 §4.1. */
export const isUriReference = (text: string): boolean => isReference(text, uri, false);
/** `IRI` of RFC 3987 §2.2. */
export const isIri = (text: string): boolean => isReference(text, iri, true);
/** `IRI-reference` of RFC 3987 §2.2. */
export const isIriReference = (text: string): boolean => isReference(text, iri, false);
