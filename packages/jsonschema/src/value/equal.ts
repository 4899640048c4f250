const maxDepth = 2_000;

/**
 * JSON equality (core §4.2.2): by mathematical value, arrays by position, objects by own properties
 * in any order. A property that is `undefined` counts as absent. Values nested deeper than 2000
 * levels are never equal.
 */
export function deepEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return typeof a === "bigint" || typeof b === "bigint" ? sameNumber(a, b) : false;
  }
  if (depth > maxDepth) {
    return false;
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) {
      return false;
    }
    for (let i = 0; i < a.length; i++) {
      if (!deepEqual(a[i], b[i], depth + 1)) {
        return false;
      }
    }
    return true;
  }
  return !Array.isArray(b) && equalObjects(a as Record<string, unknown>, b as Record<string, unknown>, depth);
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>, depth: number): boolean {
  let members = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) {
      continue;
    }
    members++;
    if (!Object.hasOwn(b, key) || b[key] === undefined || !deepEqual(a[key], b[key], depth + 1)) {
      return false;
    }
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined) {
      members--;
    }
  }
  return members === 0;
}

/** True for `1n` and `1`, which are the same JSON number. */
function sameNumber(a: unknown, b: unknown): boolean {
  const [big, number] = typeof a === "bigint" ? [a, b] : [b, a];
  return typeof number === "number" && Number.isInteger(number) && BigInt(number) === big;
}
