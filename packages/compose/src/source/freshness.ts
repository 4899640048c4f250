/** When lists stop being fresh, by the clock of the process. */
const ends = new WeakMap<readonly unknown[], number>();

/** Notes how long a list is fresh, as its server says. */
export function keepFresh(items: readonly unknown[], ttlMs: number): void {
  ends.set(items, performance.now() + ttlMs);
}

/** How long all of the lists are still fresh, in milliseconds; 0 if a server did not say. */
export function freshMsOf(lists: readonly (readonly unknown[])[]): number {
  const until = lists.reduce((least, items) => Math.min(least, ends.get(items) ?? 0), Infinity);
  return until === Infinity ? 0 : Math.max(0, Math.floor(until - performance.now()));
}

/** Makes a list fresh for as long as the lists that it was made of. */
export function freshAs(items: readonly unknown[], lists: readonly (readonly unknown[])[]): void {
  keepFresh(items, freshMsOf(lists));
}
