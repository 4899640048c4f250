/** A listener that is the same everywhere: a timeout gets it once, however often it is combined. */
const held = (): void => {};

/** Whether a signal is of `AbortSignal.timeout`. Only an own symbol of Node tells. */
function isTimeout(signal: AbortSignal): boolean {
  return Object.getOwnPropertySymbols(signal).some(({ description }) => description === "kTimeout");
}

/**
 * Combines signals like `AbortSignal.any`, and holds timeouts until they fire. Node 20 collects a
 * signal of `AbortSignal.timeout` without listeners that nothing else holds, and the combined
 * signal never aborts. All other signals may be collected, whether or not listeners of the
 * combined signal are removed. A timeout that the caller has combined by itself is not held.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  for (const signal of signals) {
    if (isTimeout(signal)) {
      signal.addEventListener("abort", held);
    }
  }
  // oxlint-disable-next-line no-restricted-properties -- the only place
  return AbortSignal.any([...signals]);
}
