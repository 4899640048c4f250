import type { JSONSchema } from "@tenon/jsonschema/core";
import { explain, tryCompile } from "@tenon/jsonschema/untrusted";
import type { CallToolResult } from "@tenon/protocol";

import { inOneLine } from "../../../base/values.ts";
import type { ListedOutput, OutputProblem } from "./listed-outputs.ts";

/** Describes why the structured content of a result is not valid; `undefined` if it is. */
export function outputProblem(
  listed: ListedOutput,
  { structuredContent }: CallToolResult,
): OutputProblem | undefined {
  if (structuredContent === undefined || structuredContent === null) {
    return { text: "it has no structuredContent", isOfSchema: false };
  }
  listed.judge ??= judgeOf(listed.schema);
  return listed.judge(structuredContent);
}

/**
 * The schema is the server's, so it may not cost more than its worth: see jsonschema's `untrusted`.
 */
function judgeOf(schema: object): NonNullable<ListedOutput["judge"]> {
  const compiled = tryCompile(schema as JSONSchema);
  if (!compiled.ok) {
    const text = `the schema cannot be used: ${compiled.error.message}`;
    return () => ({ text, isOfSchema: true });
  }
  return (value) => {
    const checked = compiled.validator.check(value);
    return checked.valid ? undefined : { text: inOneLine(explain(checked.errors)), isOfSchema: false };
  };
}
