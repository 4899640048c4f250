import type { Summary } from "../wire/summary.ts";

/** The times of the requests with one subject, such as one tool. */
export interface Times {
  readonly name: string;
  readonly count: number;
  readonly errors: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The value below which a part of sorted numbers is. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

/** The times by method and subject, the slowest first. */
export function timesOf(lines: readonly Summary[]): readonly Times[] {
  const groups = new Map<string, { times: number[]; errors: number }>();
  for (const { kind, method, subject, ms, outcome } of lines) {
    if (kind === "response" && ms !== undefined && method !== undefined) {
      const name = subject === undefined ? method : `${method} ${subject}`;
      const group = groups.get(name) ?? { times: [], errors: 0 };
      group.times.push(ms);
      group.errors += outcome === "error" || outcome === "failed" ? 1 : 0;
      groups.set(name, group);
    }
  }
  return [...groups]
    .map(([name, { times, errors }]) => {
      const sorted = times.toSorted((one, other) => one - other);
      return {
        name,
        count: sorted.length,
        errors,
        p50: quantile(sorted, 0.5),
        p95: quantile(sorted, 0.95),
        p99: quantile(sorted, 0.99),
        max: sorted.at(-1) ?? 0,
      };
    })
    .toSorted((one, other) => other.p95 - one.p95);
}
