/**
 * True if `value`, as parsed from JSON, nests deeper than `budget` arrays and objects. Recursion is
 * bounded by `budget`, so the check itself cannot exhaust the stack.
 */
export function exceedsDepth(value: object, budget: number): boolean {
  if (budget <= 0) {
    return true;
  }
  if (Array.isArray(value)) {
    for (const member of value as readonly unknown[]) {
      if (isNested(member) && exceedsDepth(member, budget - 1)) {
        return true;
      }
    }
    return false;
  }
  // Objects from JSON have a plain prototype, so `for…in` visits only their own properties, and
  // makes no copy of them.
  for (const key in value) {
    const member: unknown = value[key as keyof typeof value];
    if (isNested(member) && exceedsDepth(member, budget - 1)) {
      return true;
    }
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
