import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";

import { steadyDate, type StoreClock } from "../clock.ts";
import { createSteps } from "../steps.ts";
import { takeFrom } from "./bucket.ts";
import type { RateLimits } from "./contract.ts";

/** Limits of {@link createMemoryRateLimits}. */
export interface MemoryRateLimitsLimits {
  /**
   * Maximum number of buckets that are not full. Above it the bucket that was used the longest time
   * ago is forgotten. Default: `100_000`.
   */
  readonly maxEntries?: number | undefined;
}

/** Options of {@link createMemoryRateLimits}. */
export interface MemoryRateLimitsOptions {
  /** Limits of the buckets. Each limit has its own default. */
  readonly limits?: MemoryRateLimitsLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: StoreClock | undefined;
}

const limitRules: LimitRules<MemoryRateLimitsLimits> = { maxEntries: [100_000, 1] };

/**
 * Creates rate limits within one process.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createMemoryRateLimits(options: MemoryRateLimitsOptions = {}): RateLimits {
  checkOptionNames("createMemoryRateLimits", options, "limits clock", limitRules);
  const { maxEntries } = readLimits(options.limits, limitRules);
  const date = steadyDate(options.clock);
  /** When each bucket is full again, in the order of their last use. */
  const buckets = new Map<string, number>();
  const { step, close } = createSteps("Rate limits object", () => buckets.clear());
  return {
    take: (key, rule, cost = 1) =>
      step(() => {
        const now = date();
        const { decision, fullAt } = takeFrom(buckets.get(key) ?? 0, rule, cost, now);
        buckets.delete(key);
        buckets.set(key, fullAt);
        for (const [oldest, end] of buckets) {
          if (buckets.size <= maxEntries && end > now) {
            break;
          }
          buckets.delete(oldest);
        }
        return decision;
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
