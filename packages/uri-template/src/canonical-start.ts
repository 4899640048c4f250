import { canonicalUri } from "./canonical-uri.ts";
import { comparable } from "./encode.ts";
import { UriTemplateError } from "./error.ts";

const hasHost = /^(?:https?|wss?|ftp|file):/i;

/**
 * Returns the beginning of canonical URIs, or a template that matches canonical URIs: `text` with
 * its scheme and host in their canonical form. The rest is not changed: templates are matched by
 * meaning.
 *
 * @throws UriTemplateError `invalid-uri` for a host that is not valid.
 */
export function canonicalStart(text: string): string {
  const whole = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#{}]*\/|file:\/(?!\/))/i.exec(text)?.[0];
  if (whole !== undefined) {
    return canonicalUri(whole) + text.slice(whole.length);
  }
  return text.replace(
    /^([A-Za-z][A-Za-z0-9+.-]*:)((?:\/\/(?:[^/?#{}]|\{[^}]*\})*)?)/,
    (_, scheme, authority) =>
      String(scheme).toLowerCase() + (hasHost.test(scheme) ? lowerLiterals(authority) : String(authority)),
  );
}

/**
 * Returns the canonical form of the beginning of URIs.
 *
 * @throws UriTemplateError `invalid-uri` if it has no canonical form: it contains dot segments.
 */
export function canonicalPrefix(text: string): string {
  const prefix = comparable(canonicalStart(text));
  if (/\/\.\.?\//.test(prefix)) {
    throw new UriTemplateError(
      "invalid-uri",
      `The prefix ${JSON.stringify(text.slice(0, 200))} contains dot segments`,
    );
  }
  return prefix;
}

function lowerLiterals(authority: string): string {
  return authority.replace(/\{[^}]*\}|[^{]+/g, (part) => (part.startsWith("{") ? part : part.toLowerCase()));
}
