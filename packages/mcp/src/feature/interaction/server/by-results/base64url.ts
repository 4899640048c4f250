/** Bytes as base64url without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const alphabet = /^[\w-]*$/;

/** The bytes, or `undefined` for text that {@link toBase64Url} did not make. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!alphabet.test(text)) {
    return undefined;
  }
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    // Unused bits of the last character must be zero, so that every byte string has only one
    // encoding.
    return toBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
