import { isPlainJson } from "@tenon/base/plain-json";
import { LocalError } from "@tenon/jsonrpc2/core";

/** Maximum depth of a value. */
const maxDepth = 64;

/**
 * Checks that a value survives JSON unchanged, so that a step gives the same result in every run.
 *
 * @throws `LocalError` `NOT_SERIALIZABLE`.
 */
export function checkStepResult(name: string, value: unknown): void {
  if (value !== undefined && !isPlainJson(value, maxDepth)) {
    throw new LocalError(
      "NOT_SERIALIZABLE",
      `The result of step ${JSON.stringify(name)} must be plain JSON: null, booleans, finite numbers, strings, arrays and plain objects, at most ${maxDepth} deep.`,
    );
  }
}
