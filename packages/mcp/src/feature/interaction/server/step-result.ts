import { LocalError } from "@tenon/jsonrpc2/core";

/**
 * Checks that a value survives JSON unchanged, so that a step gives the same result in every run.
 *
 * @throws `LocalError` `NOT_SERIALIZABLE`.
 */
export function checkStepResult(name: string, value: unknown): void {
  if (value !== undefined && !isJson(value, 0)) {
    throw new LocalError(
      "NOT_SERIALIZABLE",
      `The result of step ${JSON.stringify(name)} must be plain JSON: null, booleans, finite numbers, strings, arrays and plain objects, at most ${maxDepth} deep.`,
    );
  }
}

const maxDepth = 64;

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return true;
  }
  if (typeof value === "number") {
    return Number.isFinite(value);
  }
  if (typeof value !== "object" || depth >= maxDepth) {
    return false;
  }
  if (Array.isArray(value)) {
    return value.every((item) => isJson(item, depth + 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    !("toJSON" in value) &&
    Object.values(value).every((member) => member === undefined || isJson(member, depth + 1))
  );
}
