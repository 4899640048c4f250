const encoder = /* @__PURE__ */ new TextEncoder();

/** Writes bytes as base64url without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/**
 * Reads base64url without padding. @returns `undefined` for anything else, such as a last
 * character whose unused bits are not zero: each sequence of bytes has one form.
 *
 * @source RFC 4648 §3.5
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) {
    return undefined;
  }
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return text.length % 4 === 0 || text.endsWith(lastCharacter(bytes)) ? bytes : undefined;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The last character of bytes whose number is not a multiple of three. */
function lastCharacter(bytes: Uint8Array): string {
  const last = bytes[bytes.length - 1] ?? 0;
  return alphabet[bytes.length % 3 === 1 ? (last & 3) << 4 : (last & 15) << 2] ?? "";
}

/** The SHA-256 of a string, as base64url. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}
