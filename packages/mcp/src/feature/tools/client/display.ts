import type { CallToolResult, Tool, ToolAnnotations } from "@tenon/protocol";

/** The annotations of a tool about its own behavior, with the defaults of the specification. */
export type ToolHints = Required<Omit<ToolAnnotations, "title">>;

/**
 * The name to show to people: `title`, else `annotations.title`, else `name`. It works for prompts
 * and resources too. Text of the server's: escape it where that matters, and do not tell tools
 * apart by it.
 *
 * @source R-467
 */
export function displayName(item: Pick<Tool, "name" | "title" | "annotations">): string {
  return item.title ?? item.annotations?.title ?? item.name;
}

/**
 * Returns the hints of a tool. Missing hints get the more cautious value: the tool writes, may
 * destroy, must not be repeated and reaches the outside world (2025-03-26 schema). Hints are claims
 * of the server: base no important decision on them unless you trust the server.
 *
 * @source R-468
 */
export function toolHints({ annotations = {} }: Pick<Tool, "annotations">): ToolHints {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    openWorldHint = true,
  } = annotations;
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

/**
 * Returns the text of a result: its text blocks, one per line. Images, audio, links and embedded
 * resources are left out.
 *
 * @example
 * console.log(textOf(await session.callTool({ name: "greet" })));
 */
export function textOf({ content }: Pick<CallToolResult, "content">): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
