import { isThenable, takeLateFailure } from "@tenon/base";

/**
 * Describes the return value of a callback for a message. Strings and objects are not quoted,
 * because they may be secret.
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return String(value);
  }
  if (typeof value === "object") {
    return isThenable(value) ? "a promise" : Array.isArray(value) ? "an array" : "an object";
  }
  return `a ${typeof value}`;
}

/**
 * Discards a value that a callback should not have returned. If the value is a promise, its
 * rejection is handled here.
 */
export function drop(returned: unknown): void {
  takeLateFailure(returned, () => {});
}
