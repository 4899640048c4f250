/**
 * Finds the resource that a client names. Addresses are compared as URLs: SDKs that parse the
 * address of the metadata, as the official ones did, end an origin with a slash.
 */
export function resourceOf(resources: readonly string[], asked: unknown): string | undefined {
  if (typeof asked !== "string" || !URL.canParse(asked)) {
    return undefined;
  }
  const { href } = new URL(asked);
  return resources.find((one) => new URL(one).href === href);
}
