const encoder = /* @__PURE__ */ new TextEncoder();

/** Writes bytes as base64url without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Reads base64url without padding. @returns `undefined` for anything else. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) {
    return undefined;
  }
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The SHA-256 of a string, as base64url. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}
