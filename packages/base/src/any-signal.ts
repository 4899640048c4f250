/** The signals of each combined signal, held as long as the combined signal is. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * Combines signals like `AbortSignal.any`, and holds them. A signal of `AbortSignal.timeout` that
 * nothing else holds is otherwise collected by Node 20, and the combined signal never aborts.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  // oxlint-disable-next-line no-restricted-properties -- the only place
  const either = AbortSignal.any([...signals]);
  sources.set(either, signals);
  return either;
}
