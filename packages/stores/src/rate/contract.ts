/** How often something may happen. */
export interface RateRule {
  /** How many may happen at once. */
  readonly burst: number;
  /** How many may happen per second in the long run. */
  readonly perSecond: number;
}

/** The result of {@link RateLimits.take}. */
export interface RateDecision {
  readonly allowed: boolean;
  /** How many more could happen now. */
  readonly remaining: number;
  /** After how many milliseconds the same could be allowed; 0 if it was. */
  readonly retryAfterMs: number;
}

/**
 * Counts what principals or addresses do, in all processes together.
 * `rateLimitsConformance` of `@tenon/stores/testing` checks an implementation.
 *
 * Every method is one atomic step, settles within a time that the implementation documents, and
 * rejects with a `StoreError`: `STORE_FAILED` if the store cannot be used, `CLOSED` after `close`.
 * Callers decide whether a request is served while the store fails.
 */
export interface RateLimits extends AsyncDisposable {
  /**
   * Removes `cost` from a bucket that holds up to `burst` and is refilled by `perSecond`. A
   * rejected request takes nothing.
   *
   * @param key - Identifies the bucket. A bucket that is full again is forgotten.
   * @param rule - The same for every call with this key.
   * @param cost - How many to take. Default: 1. More than `burst` is never allowed.
   */
  take(key: string, rule: RateRule, cost?: number): Promise<RateDecision>;
  /** Releases what the object holds. Further calls of `take` reject with `CLOSED`. Idempotent. */
  close(): Promise<void>;
}
