/**
 * The value below which `share` (0 to 1) of the values lie, by the nearest rank. `NaN` of nothing.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}

/** The middle value, or the mean of the two middle ones. `NaN` of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The n-th root of the product: the mean for ratios. `NaN` of nothing. */
export function geometricMean(values: readonly number[]): number {
  return values.length === 0
    ? Number.NaN
    : Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
