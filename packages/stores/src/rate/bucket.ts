import type { RateDecision, RateRule } from "./contract.ts";

/** A decision, and the state of the bucket after it. */
export interface BucketStep {
  readonly decision: RateDecision;
  /** When the bucket is full again, in milliseconds since 1970. */
  readonly fullAt: number;
}

/**
 * Removes `cost` from a bucket. Its state is the time when it will be full. For authors of
 * `RateLimits`.
 *
 * @param fullAt - The state of the bucket; 0 for a full one.
 * @param now - The time of the store, in milliseconds since 1970.
 * @throws `RangeError` for a rule or a cost that is not positive.
 */
export function takeFrom(
  fullAt: number,
  { burst, perSecond }: RateRule,
  cost: number,
  now: number,
): BucketStep {
  if (!(burst >= 1 && perSecond > 0 && cost > 0)) {
    throw new RangeError("burst must be 1 or more, perSecond and cost must be greater than 0.");
  }
  const msEach = 1000 / perSecond;
  const base = Math.max(fullAt, now);
  const after = base + cost * msEach;
  const latest = now + burst * msEach;
  const allowed = after <= latest;
  const state = allowed ? after : base;
  return {
    decision: {
      allowed,
      remaining: Math.max(0, Math.floor((latest - state) / msEach)),
      retryAfterMs: allowed ? 0 : cost > burst ? Infinity : after - latest,
    },
    fullAt: state,
  };
}
