/** One JSON Pointer token, escaped (RFC 6901 §3). */
export function escapeToken(token: string | number): string {
  const text = String(token);
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}

/** The tokens of a JSON Pointer, unescaped. */
export function pointerTokens(pointer: string): string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Percent-decodes a URI fragment. Returns text that cannot be decoded unchanged. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
