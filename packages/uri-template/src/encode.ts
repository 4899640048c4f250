/** Text without lone surrogates, which have no UTF-8 form: each becomes U+FFFD. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}

/** Percent-encodes everything but unreserved characters (RFC 3986 §2.3). */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A character that is not part of a triplet and not allowed in a URI, except `%`. */
const foreign = /%[0-9A-Fa-f]{2}|[^!#-;=?-Z[\]_a-z~]/gu;

/**
 * Percent-encodes everything but unreserved and reserved characters and triplets (RFC 6570 §3.2.1).
 */
export function encodeReserved(text: string): string {
  return encodeForeign(text.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"), (triplet) => triplet);
}

function encodeForeign(text: string, onTriplet: (triplet: string) => string): string {
  return wellFormed(text).replace(foreign, (part) =>
    part.startsWith("%") ? onTriplet(part) : encodeURIComponent(part),
  );
}

/**
 * The one spelling that templates and URIs are compared in: characters that no URI may hold are
 * percent-encoded and triplets have upper-case digits (RFC 3986 §6.2.2.1). A `%` that begins no
 * triplet stays.
 */
export function normalise(text: string): string {
  // The test is the common case: nothing to do.
  return /[^!#-;=?-Z[\]_a-z~]|%/.test(text) ? encodeForeign(text, (triplet) => triplet.toUpperCase()) : text;
}

/**
 * A triplet in its one spelling: the character, if that is unreserved, otherwise upper-case digits
 * (RFC 3986 §6.2.2).
 */
export function respell(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : triplet.toUpperCase();
}

/** The same with unreserved characters decoded: equivalent URIs become equal. */
export function comparable(text: string): string {
  return normalise(text).replace(/%[0-9A-F]{2}/g, respell);
}

/** The decoded text, or `undefined` when its percent-encoding is broken or not UTF-8. */
export function decode(text: string): string | undefined {
  if (!text.includes("%")) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The first `count` characters: code points, and whole triplets where those pass unchanged (RFC
 * 6570 §2.4.1).
 */
export function truncate(text: string, count: number, reserved: boolean): string {
  const characters = text.match(reserved ? /%[0-9A-Fa-f]{2}|[^]/gu : /[^]/gu) ?? [];
  return characters.slice(0, count).join("");
}
