import { TaskError } from "../error.ts";
import type { JsonText } from "../store/record.ts";

/** Maximum depth of a value. */
const maxDepth = 256;

/** The text of `undefined`, for values where it is allowed. No JSON is empty. */
export const undefinedText: JsonText = "";

/**
 * Returns a value as JSON.
 *
 * @param subject - What the value is, for errors: `The result`.
 * @param most - Maximum length of the text, in characters.
 * @param limit - The name of that limit.
 * @throws `TaskError` `NOT_SERIALIZABLE` or `LIMIT_EXCEEDED`.
 */
export function toText(value: unknown, subject: string, most: number, limit: string): JsonText {
  if (!isJson(value, 0)) {
    throw new TaskError(
      "NOT_SERIALIZABLE",
      `${subject} must be plain JSON: null, booleans, finite numbers, strings, arrays and plain objects, at most ${maxDepth} deep.`,
    );
  }
  const text = JSON.stringify(value);
  if (text.length > most) {
    throw new TaskError(
      "LIMIT_EXCEEDED",
      `${subject} has ${text.length} characters as JSON; the limit is ${most} (${limit}).`,
    );
  }
  return text;
}

/** Parses JSON text. */
export function fromText(text: JsonText): unknown {
  return text === undefinedText ? undefined : JSON.parse(text);
}

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
