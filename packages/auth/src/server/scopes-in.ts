/**
 * The scopes in the claims of a token: `scope`, separated by spaces, otherwise `scp`, a string or
 * an array.
 *
 * @param more - The name of a claim whose values count as scopes as well, such as `roles`.
 */
export function scopesIn(claims: Readonly<Record<string, unknown>>, more?: string): readonly string[] {
  const { scope, scp } = claims;
  return [...new Set([...words(scope ?? scp), ...words(more === undefined ? undefined : claims[more])])];
}

function words(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === "string");
  }
  return typeof value === "string" ? value.split(" ").filter((word) => word !== "") : [];
}
