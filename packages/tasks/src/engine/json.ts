import { isPlainJson } from "@tenon/base/plain-json";

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
  if (!isPlainJson(value, maxDepth)) {
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
