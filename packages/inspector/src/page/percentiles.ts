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

/** Percentiles of times that are added one by one. */
export interface TimesTable {
  add(line: Summary): void;
  /** The times by method and subject, the slowest first. */
  read(): readonly Times[];
  clear(): void;
}

interface Group {
  sorted: number[];
  /** Times that are not among the sorted ones yet. */
  added: number[];
  errors: number;
}

/** The maximum number of groups. Requests of further tools and resources are counted together. */
const maxGroups = 1000;

/** The value below which a part of sorted numbers is. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

/** Merges two sorted lists, because sorting all of them again takes longer. */
function merged(one: readonly number[], other: readonly number[]): number[] {
  const all = Array.from<number>({ length: one.length + other.length });
  let left = 0;
  let right = 0;
  for (let at = 0; at < all.length; at++) {
    const takesLeft = right >= other.length || (left < one.length && (one[left] ?? 0) <= (other[right] ?? 0));
    all[at] = (takesLeft ? one[left++] : other[right++]) ?? 0;
  }
  return all;
}

/** Creates a table without times. */
export function createTimes(): TimesTable {
  const groups = new Map<string, Group>();
  return {
    add({ kind, method, subject, ms, outcome }) {
      if (kind !== "response" || ms === undefined || method === undefined) {
        return;
      }
      const own = subject === undefined ? method : `${method} ${subject}`;
      const name = groups.has(own) || groups.size < maxGroups ? own : "all others";
      const group = groups.get(name) ?? { sorted: [], added: [], errors: 0 };
      group.added.push(ms);
      group.errors += outcome === "error" || outcome === "failed" ? 1 : 0;
      groups.set(name, group);
    },
    read() {
      return [...groups]
        .map(([name, group]) => {
          if (group.added.length > 0) {
            group.sorted = merged(
              group.sorted,
              group.added.toSorted((one, other) => one - other),
            );
            group.added = [];
          }
          const { sorted, errors } = group;
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
    },
    clear: () => groups.clear(),
  };
}
