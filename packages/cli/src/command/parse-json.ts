/**
 * Parses JSON that a user has written.
 *
 * @throws `Error` for text that is not JSON, and for a number such as `1e999`: it is infinite, and
 *   JSON has no infinite number, so a server would receive null.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    if (value === Infinity || value === -Infinity) {
      throw new RangeError("Number is too large.");
    }
    return value;
  });
}
