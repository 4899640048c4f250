/** Returns whether `value` is a JSON object: an object but not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether `value` can be awaited: a promise, or the query of a library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/**
 * Returns the kind of a value for messages: its `typeof`, but `null` for null and `array` for
 * arrays.
 */
export function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** A thrown value that may have a code. */
type Coded = { readonly code?: unknown } | null | undefined;

/** Returns the property `code` of a thrown value, such as an error of the system. */
export function codeOf(error: unknown): unknown {
  return (error as Coded)?.code;
}

/** Returns whether a thrown value has this `code`. */
export function hasCode(error: unknown, code: string): boolean {
  return (error as Coded)?.code === code;
}
