/** Times of calls, in ms, rounded to microseconds. All are 0 if no call succeeded. */
export interface LatencySummary {
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
}

/** A range of times, and how many calls took so long. */
export interface LatencyBucket {
  /** The end of the range, in ms. It begins where the range before it ends. */
  readonly upTo: number;
  readonly count: number;
}

/** Counts times in buckets that are 1 % wide. Its size does not depend on the number of calls. */
export interface Histogram {
  /** Adds a time, in ms. */
  add(ms: number): void;
  summary(): LatencySummary;
  /**
   * The distribution in at most `most` ranges that grow by a constant factor. The first range and
   * the last range are not empty.
   */
  distribution(most: number): readonly LatencyBucket[];
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
    distribution(most) {
      const first = counts.findIndex((one) => one > 0);
      if (first === -1) {
        return [];
      }
      const last = counts.findLastIndex((one) => one > 0);
      const width = Math.ceil((last - first + 1) / most);
      const ranges: LatencyBucket[] = [];
      for (let start = first; start <= last; start += width) {
        const end = start + width;
        const upTo = end > last ? max : Math.exp(end * growth) / 1_000;
        const inside = counts.subarray(start, end).reduce((total, one) => total + one, 0);
        ranges.push({ upTo: rounded(upTo), count: inside });
      }
      return ranges;
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
