import { matchesPattern } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

/** The tools that a proxy offers. */
export interface ToolFilter {
  /** Patterns of names, with `*`. By default all tools are offered. */
  readonly allow: readonly string[];
  /** Whether only tools that are annotated as read-only are offered. */
  readonly readOnly: boolean;
}

/** Whether a proxy offers a tool; `undefined` if it offers all of them. */
export function offering({ allow, readOnly }: ToolFilter): ((tool: Tool) => boolean) | undefined {
  if (allow.length === 0 && !readOnly) {
    return undefined;
  }
  return ({ name, annotations }) =>
    (allow.length === 0 || allow.some((pattern) => matchesPattern(pattern, name))) &&
    (!readOnly || annotations?.readOnlyHint === true);
}
