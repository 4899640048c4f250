/**
 * Returns the fence after `last`. For authors of leases. It is at least the date, so fences grow
 * even if the store has forgotten the key.
 *
 * @param last - The newest fence that the store remembers, or 0.
 * @param now - The time of the store, in milliseconds since 1970.
 */
export function nextFence(last: number, now: number): number {
  return Math.max(last + 1, Math.floor(now));
}

/** Checks the names of a lease. For authors of leases. @throws `TypeError` for other characters. */
export function checkLeaseNames(...names: readonly string[]): void {
  if (!names.every((name) => /^[!-~]{1,200}$/.test(name))) {
    throw new TypeError("Key and holder of a lease must have 1 to 200 characters of visible ASCII.");
  }
}
