import { isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import { contentText } from "./content.ts";
import { textOf, visibleJson, visibleLine } from "./escape.ts";

/**
 * The result of a tool as text for people.
 *
 * @param saved - The paths of blocks that were written to files, by their positions.
 */
export function toolResultText(
  { content, structuredContent }: CallToolResult,
  saved: ReadonlyMap<number, string> = new Map(),
): string {
  const text = content
    .map((block, position) => {
      const path = saved.get(position);
      return path === undefined ? contentText(block) : `${contentText(block)} ${visibleLine(path)}`;
    })
    .join("\n");
  if (structuredContent === undefined) {
    return text === "" ? "(no content)" : text;
  }
  // Servers repeat the structured content as text for clients that do not know it.
  const isRepeated = content.length === 1 && isSameJson(content[0], structuredContent);
  const json = visibleJson(structuredContent, 2);
  return text === "" || isRepeated ? json : `${text}\n${json}`;
}

function isSameJson(block: unknown, value: unknown): boolean {
  try {
    const text = isRecord(block) ? textOf(block["text"]) : "";
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
