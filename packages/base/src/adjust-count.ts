/** Adds `change` to the count of a key. A key whose count is 0 or less is removed. */
export function adjustCount<K>(counts: Map<K, number>, key: K, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) {
    counts.set(key, count);
  } else {
    counts.delete(key);
  }
}
