/** Times of calls, in ms, rounded to microseconds. All are 0 if no call succeeded. */
export interface LatencySummary {
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
}

/** Counts times in buckets that are 1 % wide. Its size does not depend on the number of calls. */
export interface Histogram {
  /** Adds a time, in ms. */
  add(ms: number): void;
  summary(): LatencySummary;
}

/** Buckets from 1 µs to about 11 days. */
const growth = Math.log(1.01);
const buckets = 2_800;

/** Creates an empty histogram. Percentiles are at most 1 % too high. */
export function createHistogram(): Histogram {
  const counts = new Uint32Array(buckets);
  let count = 0;
  let sum = 0;
  let min = Infinity;
  let max = 0;

  function percentile(share: number): number {
    const rank = Math.max(1, Math.ceil(count * share));
    let seen = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      seen += counts[bucket] ?? 0;
      if (seen >= rank) {
        return Math.min(max, Math.exp((bucket + 1) * growth) / 1_000);
      }
    }
    return max;
  }

  return {
    add(ms) {
      const bucket = Math.floor(Math.log(Math.max(1, ms * 1_000)) / growth);
      const index = Math.min(bucket, buckets - 1);
      counts[index] = (counts[index] ?? 0) + 1;
      count++;
      sum += ms;
      min = Math.min(min, ms);
      max = Math.max(max, ms);
    },
    summary() {
      if (count === 0) {
        return { min: 0, p50: 0, p90: 0, p99: 0, max: 0, mean: 0 };
      }
      const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => rounded(percentile(share)));
      return {
        min: rounded(min),
        p50: p50 ?? 0,
        p90: p90 ?? 0,
        p99: p99 ?? 0,
        max: rounded(max),
        mean: rounded(sum / count),
      };
    },
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
