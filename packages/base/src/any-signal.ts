/** Shared by all calls, so that a timeout gets this listener only once. */
const held = (): void => {};

/** Whether `AbortSignal.timeout` made a signal. Only an internal symbol of Node shows this. */
function isTimeout(signal: AbortSignal): boolean {
  return Object.getOwnPropertySymbols(signal).some(({ description }) => description === "kTimeout");
}

/**
 * Combines signals like `AbortSignal.any`, and keeps timeouts alive until they fire. Node 20 may
 * collect a signal of `AbortSignal.timeout` that has no listeners and no other references. The
 * combined signal would then never abort. Other signals can still be collected, even if listeners
 * remain on the combined signal. A timeout inside a signal that the caller has combined with
 * `AbortSignal.any` is not kept alive.
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
