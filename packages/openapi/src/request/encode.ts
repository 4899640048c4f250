const encoder = new TextEncoder();
/** Percent-encoded triples, and the characters that RFC 3986 reserves or leaves. */
const reserved = /%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/y;

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, percent);
}

/**
 * Percent-encodes all but reserved and unreserved characters and percent-encoded triples.
 *
 * @param forbidden - Reserved characters that would end the part of the URL, or start another
 *   parameter: these are encoded, too.
 * @source RFC 6570 §3.2.3; OpenAPI 3.1.1 §4.8.12.2.1
 */
export function encodeReserved(text: string, forbidden: string): string {
  const value = wellFormed(text);
  let result = "";
  for (let at = 0; at < value.length;) {
    reserved.lastIndex = at;
    const [kept] = reserved.exec(value) ?? [];
    if (kept !== undefined && !forbidden.includes(kept)) {
      result += kept;
      at += kept.length;
    } else {
      const character = String.fromCodePoint(value.codePointAt(at) ?? 0);
      result += encodeUnreserved(character);
      at += character.length;
    }
  }
  return result;
}

/** The text with lone surrogates replaced, which no encoding has. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(encoder.encode(text));
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
