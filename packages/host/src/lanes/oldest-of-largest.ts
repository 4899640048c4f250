/**
 * The first entry of the owner that has most of them: one caller cannot push out the entries of
 * others.
 *
 * @param entries - An identifier, its owner and its weight each, the oldest first. Default of the
 *   weight: `1`.
 */
export function oldestOfLargest<T>(entries: readonly (readonly [T, unknown, number?])[]): T | undefined {
  const sums = new Map<unknown, number>();
  for (const [, owner, weight = 1] of entries) {
    sums.set(owner, (sums.get(owner) ?? 0) + weight);
  }
  const most = Math.max(...sums.values());
  return entries.find(([, owner]) => sums.get(owner) === most)?.[0];
}
