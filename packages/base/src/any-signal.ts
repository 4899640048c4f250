/** A listener that is the same everywhere: a signal gets it once, however often it is combined. */
const held = (): void => {};
const combined = new WeakSet<AbortSignal>();

/**
 * Combines signals like `AbortSignal.any`, and holds timeouts until they fire. Node 20 collects a
 * signal of `AbortSignal.timeout` without listeners that nothing else holds, and the combined
 * signal never aborts. Other signals may be collected, even if nobody removes a listener of the
 * combined signal.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  for (const signal of signals) {
    // The signals of a combined signal have the listener already.
    if (!combined.has(signal)) {
      signal.addEventListener("abort", held);
    }
  }
  // oxlint-disable-next-line no-restricted-properties -- the only place
  const either = AbortSignal.any([...signals]);
  combined.add(either);
  return either;
}
