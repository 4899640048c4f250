/** `token` of RFC 9110 §5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Writes one challenge of a `WWW-Authenticate` header. Every value is written as a quoted string.
 *
 * @param parameters - By name, in the order in which they are written. `undefined` leaves a
 *   parameter out.
 * @throws `TypeError` for a scheme or a name that is not a token, and for a value with characters
 *   other than printable ASCII.
 * @source RFC 9110 §11.6.1
 */
export function formatChallenge(
  scheme: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${checkedToken(name)}="${quotable(name, value)}"`],
  );
  return [checkedToken(scheme), written.join(", ")].filter((part) => part !== "").join(" ");
}

function checkedToken(value: string): string {
  if (!token.test(value)) {
    throw new TypeError(`${JSON.stringify(value)} must be a token of RFC 9110, such as "Bearer" or "scope".`);
  }
  return value;
}

function quotable(name: string, value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value)) {
    throw new TypeError(`The value of ${name} in a challenge must be printable ASCII.`);
  }
  return value.replaceAll(/["\\]/g, "\\$&");
}
