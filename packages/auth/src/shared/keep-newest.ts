/**
 * Sets an entry of a map, as its newest. If the map then has too many entries, the oldest is
 * removed.
 *
 * @param max - Maximum number of entries.
 */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) {
    map.delete(oldest);
  }
}
