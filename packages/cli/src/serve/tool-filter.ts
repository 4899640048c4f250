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
    (allow.length === 0 || allow.some((pattern) => matches(pattern, name))) &&
    (!readOnly || annotations?.readOnlyHint === true);
}

/** Finds each part where it comes first, so that a name from a server cannot take long. */
function matches(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) {
    return name === pattern;
  }
  const end = name.length - tail.length;
  if (head.length > end || !name.startsWith(head) || !name.endsWith(tail)) {
    return false;
  }
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) {
      return false;
    }
    at = found + part.length;
  }
  return at <= end;
}
