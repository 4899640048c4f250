/** Options of {@link backoff}. */
export interface BackoffOptions {
  /** Maximum delay before the first attempt, in milliseconds. */
  readonly initialDelayMs: number;
  /** Maximum delay before any attempt, in milliseconds. */
  readonly maxDelayMs: number;
  /** The factor by which each further delay is longer. Default: `2`. */
  readonly growth?: number | undefined;
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Returns the delay before an attempt, in milliseconds. Its maximum grows with each
 * failure. The delay is random, between half of the maximum and all of it, so that clients of one
 * server do not all reconnect at the same time.
 *
 * @param failures - Consecutive failures so far, from 0.
 */
export function backoff(failures: number, options: BackoffOptions): number {
  const { initialDelayMs, maxDelayMs, growth = 2, random = Math.random } = options;
  return Math.min(maxDelayMs, initialDelayMs * growth ** failures) * (0.5 + random() / 2);
}
