const prefix = "=?base64?";
const suffix = "?=";
/** Visible ASCII, with spaces inside only. */
const plain = /^[!-~](?:[ -~]*[!-~])?$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Encodes a value for a header: unchanged if it is safe, otherwise as base64 of its UTF-8 bytes
 * between markers. The empty string stays empty.
 *
 * @source, T-60
 */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(prefix) && value.endsWith(suffix);
  if (value === "" || (plain.test(value) && !looksEncoded)) {
    return value;
  }
  let binary = "";
  for (const byte of encoder.encode(value)) {
    binary += String.fromCharCode(byte);
  }
  return `${prefix}${btoa(binary)}${suffix}`;
}

/**
 * The decoded value of a header; `undefined` if the text between the markers is not base64 of
 * UTF-8.
 *
 * @source R-324
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(prefix) || !value.endsWith(suffix) || value.length < prefix.length + suffix.length) {
    return value;
  }
  const encoded = value.slice(prefix.length, -suffix.length);
  if (!base64.test(encoded)) {
    return undefined;
  }
  try {
    return decoder.decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
