const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** Base64 of RFC 4648 §4, padded. */
export const isBase64 = (text: string): boolean => BASE64.test(text);

/** A JSON text (RFC 8259). */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A JSON text in UTF-8, in base64. */
export function isBase64Json(text: string): boolean {
  if (!isBase64(text)) return false;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return isJson(new TextDecoder().decode(bytes));
}
