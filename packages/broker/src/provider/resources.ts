/**
 * Finds the resource that a client names. Addresses are compared as URLs: the official SDK ends an
 * origin with a slash, whatever the metadata says.
 */
export function resourceOf(resources: readonly string[], asked: unknown): string | undefined {
  if (typeof asked !== "string" || !URL.canParse(asked)) {
    return undefined;
  }
  const { href } = new URL(asked);
  return resources.find((one) => new URL(one).href === href);
}
