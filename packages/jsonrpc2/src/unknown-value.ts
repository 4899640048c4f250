import { quotedMessage } from "./error.ts";

/** Returns whether `value` is a JSON object: an object but not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether `value` can be awaited: a promise, or the query of a library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Maximum number of causes that `reasonOf` reads. */
const maxCauses = 8;

/**
 * Returns the messages of an error and of its causes, outermost first. A message that an outer
 * message already quotes is omitted.
 *
 * @param error - Any thrown value. A value that is not an error is converted to a string.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  let text = quotedMessage(error);
  let cause = error.cause;
  for (let depth = 1; cause instanceof Error && depth < maxCauses; depth++) {
    const message = quotedMessage(cause);
    if (!text.includes(message)) {
      text += text === "" ? message : ` ${message}`;
    }
    cause = cause.cause;
  }
  return text;
}

/**
 * Whether a value survives JSON unchanged: null, booleans, finite numbers, strings, arrays and
 * plain objects without `toJSON`. A property with the value `undefined` counts as absent.
 *
 * @param maxDepth - Maximum depth of objects and arrays.
 */
export function isPlainJson(value: unknown, maxDepth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return true;
  }
  if (typeof value === "number") {
    return Number.isFinite(value);
  }
  if (typeof value !== "object" || maxDepth <= 0) {
    return false;
  }
  if (Array.isArray(value)) {
    return value.every((item) => isPlainJson(item, maxDepth - 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    !("toJSON" in value) &&
    Object.values(value).every((member) => member === undefined || isPlainJson(member, maxDepth - 1))
  );
}
