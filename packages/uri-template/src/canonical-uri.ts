import { respell } from "./encode.ts";
import { UriTemplateError } from "./error.ts";

/** The schemes whose URIs have hosts, default ports and backslashes by the URL standard. */
const special = /^(?:https?|wss?|ftp|file):/i;
const parts = /^([A-Za-z][A-Za-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)([^]*)$/;
/** A triplet, a `%` without digits, or a character that no URI may contain. */
const spelled = /%(?:[0-9A-Fa-f]{2})?|[^!#-;=?-Z[\]_a-z~]/gu;

/**
 * Returns the form that all spellings of a URI share (RFC 3986 §6.2.2): unreserved characters
 * decoded, other triplets with upper-case digits, no dot segments, the scheme in lower case.
 * Characters that no URI may contain are percent-encoded, and so is a `%` that begins no triplet.
 * Reserved characters are not changed: `%2F` is not `/`. URIs of `http`, `https`, `ws`, `wss`,
 * `ftp` and `file` are also normalized as URLs: host in lower case, no default port, `/` as the
 * empty path. With other schemes the text after `//` is usually the name of a thing, not a host, so
 * its case is kept. The function takes linear time, and does not change its own results.
 *
 * @throws UriTemplateError `invalid-uri` for a URI without a canonical form: one with half a
 *   surrogate pair, with dot segments that are not below a `/`, or a URL that is not valid.
 */
export function canonicalUri(uri: string): string {
  if (/\p{Cs}/u.test(uri)) {
    throw invalid("it contains half of a surrogate pair", uri);
  }
  const [, scheme = "", authority = "", path = "", rest = ""] = parts.exec(spell(asUrl(uri))) ?? [];
  if (/^\/\/\.\.?$/.test(authority) || (path !== "" && !path.startsWith("/") && hasDots(`/${path}`))) {
    throw invalid("its dot segments are relative to nothing", uri);
  }
  const resolved = hasDots(path) ? withoutDots(path) : path;
  if (authority === "" && resolved.startsWith("//") && path !== resolved) {
    throw invalid("its dot segments are relative to nothing", uri);
  }
  return scheme.toLowerCase() + authority + resolved + rest;
}

function spell(text: string): string {
  return text.replace(spelled, (part) =>
    part === "%" ? "%25" : part.startsWith("%") ? respell(part) : encodeURIComponent(part),
  );
}

function asUrl(uri: string): string {
  if (!special.test(uri)) {
    return uri;
  }
  try {
    return new URL(uri).href;
  } catch {
    throw invalid("it is not a valid URL", uri);
  }
}

function hasDots(path: string): boolean {
  return /\/\.\.?(?:\/|$)/.test(path);
}

/** @see RFC 3986 §5.2.4 */
function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const segment of segments) {
    if (segment === "..") {
      kept.pop();
    } else if (segment !== ".") {
      kept.push(segment);
    }
  }
  return `/${kept.join("/")}${kept.length > 0 && /\/\.\.?$/.test(path) ? "/" : ""}`;
}

function invalid(reason: string, uri: string): UriTemplateError {
  const shown = JSON.stringify(uri.length > 200 ? `${uri.slice(0, 200)}…` : uri);
  return new UriTemplateError("invalid-uri", `The URI ${shown} has no canonical form: ${reason}`);
}
