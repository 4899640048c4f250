import { reasonOf } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import { notJson } from "../../../base/not-json.ts";
import type { ToolErrorSink } from "./call.ts";
import { errorResult, invalidResultText } from "./tool-error.ts";

/**
 * Reports a return value that JSON cannot carry, and returns an error for the model.
 *
 * @param cause - What `JSON.stringify` threw.
 */
export function unwritableResult(
  name: string,
  returned: unknown,
  cause: unknown,
  onError: ToolErrorSink,
): CallToolResult {
  return invalidResult(name, notJson({ result: returned }) ?? reasonOf(cause), cause, onError);
}

/** Reports that a return value is not valid, and returns an error for the model. */
export function invalidResult(
  name: string,
  problem: string,
  cause: unknown,
  onError: ToolErrorSink,
): CallToolResult {
  const error = new TypeError(`The result of tool ${name} is not valid: ${problem}`, { cause });
  onError(error);
  return errorResult(invalidResultText, error);
}
