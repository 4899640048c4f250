/** A string, or a number. The text is known to be valid JSON. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Whether a string is an integer that JavaScript would round. */
export function isLongInteger(text: string): boolean {
  return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));
}

/**
 * Puts the integers of a JSON text whose digits JavaScript does not keep into quotes. Identifiers
 * of many APIs have 64 bits; rounded, they name something else. Returns `undefined` if there are
 * none.
 *
 * @param json - Valid JSON.
 */
export function quoteLongIntegers(json: string): string | undefined {
  if (!/\d{16}/.test(json)) {
    return undefined;
  }
  const quoted = json.replace(token, (found) => (isLongInteger(found) ? `"${found}"` : found));
  return quoted.length === json.length ? undefined : quoted;
}
