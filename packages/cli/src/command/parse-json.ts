/**
 * Parses JSON that a user has written.
 *
 * @throws `SyntaxError` for text that is not JSON. `RangeError` for a number that cannot be sent
 *   exactly: `1e999` becomes null, and a whole number of more than 53 bits is rounded.
 */
export function parseJson(text: string): unknown {
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const long = numbers.match(/\d{16,308}/g) ?? [];
  const rounded = new Set(long.filter((digits) => BigInt(digits) !== BigInt(Number(digits))).map(Number));
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value === "number" && (Math.abs(value) === Infinity || rounded.has(Math.abs(value)))) {
      throw new RangeError(
        "Number cannot be sent exactly: JavaScript would round it. If the server accepts a string, put the number in quotes.",
      );
    }
    return value;
  });
}
