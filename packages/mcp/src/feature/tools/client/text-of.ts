import type { CallToolResult } from "@tenon/protocol";

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
