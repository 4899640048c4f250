import type { CheckResult } from "@tenon/jsonschema/core";
import type { CallToolResult } from "@tenon/protocol";

import { inOneLine } from "../../../base/values.ts";
import { explaining } from "../../resolve-schema.ts";
import type { ToolErrorSink, ToolScope } from "./call.ts";
import { downConvertResult, structured } from "./content.ts";
import { errorResult } from "./tool-error.ts";
import { unwritableResult } from "./unwritable.ts";

/**
 * The result of a tool with an output schema.
 *
 * @param checked - The result of validating the value.
 * @param full - The complete result, if the handler returned one.
 */
export function structuredResult(
  name: string,
  checked: CheckResult<unknown>,
  full: CallToolResult | undefined,
  { rules }: ToolScope,
  onError: ToolErrorSink,
): CallToolResult | Promise<CallToolResult> {
  const mismatch = (reasons: string): CallToolResult => {
    const error = new Error(`The output of tool ${name} does not match its schema: ${reasons}`);
    onError(error);
    return errorResult("The tool failed: its output does not match its schema.", error);
  };
  if (!checked.valid) {
    return explaining.use(({ explain }) => mismatch(inOneLine(explain(checked.errors))));
  }
  const problem = numberProblem(checked.value);
  if (problem !== undefined) {
    return mismatch(problem);
  }
  if (full !== undefined) {
    return downConvertResult({ ...full, structuredContent: checked.value }, rules);
  }
  try {
    return downConvertResult(structured(checked.value), rules);
  } catch (cause) {
    return unwritableResult(name, checked.value, cause, onError);
  }
}

/**
 * Describes a number in the value that JSON would turn into `null`, so that the received value
 * would not match the schema; `undefined` if there is no such number.
 */
function numberProblem(value: unknown): string | undefined {
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : `JSON has no ${value}.`;
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  for (const key in value) {
    const problem = numberProblem(value[key as keyof typeof value]);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}
