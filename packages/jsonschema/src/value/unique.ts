import { deepEqual } from "./equal.ts";

const pairwise = 12;

/**
 * True if no two items are equal as JSON (validation §6.4.3). Long lists take linear time: objects
 * and arrays are compared by a canonical text, so that crafted items cannot collide.
 */
export function unique(items: readonly unknown[]): boolean {
  const n = items.length;
  if (n < 2) {
    return true;
  }
  const primitive = items.every(
    (item) => item === null || (typeof item !== "object" && typeof item !== "bigint"),
  );
  if (n > pairwise) {
    return new Set(primitive ? items : items.map(canonical)).size === n;
  }
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < i; j++) {
      if (primitive ? items[i] === items[j] : deepEqual(items[i], items[j])) {
        return false;
      }
    }
  }
  return true;
}

/** A text that two values share exactly if they are equal as JSON. */
export function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    // Large numbers have an exponent, equal bigints have none.
    const exact = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
    return typeof value === "string" ? JSON.stringify(value) : String(exact);
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  const object = value as Record<string, unknown>;
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key])}`);
  return `{${members.join()}}`;
}
