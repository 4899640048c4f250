import type { CallToolResult, ContentBlock, TextContent } from "@tenon/protocol";

import type { RevisionRules } from "../../revisions/rules.ts";
import { isRecord } from "../../session/meta.ts";

/** A text block (S-054). */
export function text(value: string): TextContent {
  return { type: "text", text: value };
}

/**
 * The result for what the handler of a tool without output schema returned, other than a full result.
 *
 * - a string: one text block;
 * - a content block, or an array of at least one: the content;
 * - `undefined`: empty content;
 * - anything else: as {@link structured}.
 */
export function content(returned: unknown): CallToolResult {
  if (returned === undefined) {
    return { content: [] };
  }
  if (typeof returned === "string") {
    return { content: [text(returned)] };
  }
  if (isContentBlock(returned)) {
    return { content: [returned] };
  }
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isContentBlock)) {
    return { content: returned };
  }
  return structured(returned);
}

/** The result for a value: `structuredContent`, repeated as JSON in a text block for clients that know only text. */
export function structured(value: unknown): CallToolResult {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new TypeError(`A tool cannot return a ${typeof value}: JSON has no such value.`);
  }
  return { content: [text(json)], structuredContent: value };
}

/**
 * True for a full `CallToolResult`. With an output schema a value that happens to have a `content` array is data, unless it also has
 * `structuredContent` or `isError: true`.
 */
export function isFullResult(returned: unknown, hasOutput: boolean): returned is CallToolResult {
  return (
    isRecord(returned) &&
    Array.isArray(returned["content"]) &&
    returned["content"].every(isContentBlock) &&
    (!hasOutput || "structuredContent" in returned || returned["isError"] === true)
  );
}

const blockTypes = new Set(["text", "image", "audio", "resource", "resource_link"]);

/** True for a block of a type that exists in any revision. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && typeof value["type"] === "string" && blockTypes.has(value["type"]);
}

/** The result as a revision knows it: blocks it lacks become text, structured content it lacks is left out. */
export function downConvertResult(result: CallToolResult, rules: RevisionRules): CallToolResult {
  const keepStructured =
    result.structuredContent === undefined ||
    rules.structuredContent === "any" ||
    (rules.structuredContent === "object" && isRecord(result.structuredContent));
  const keepContent = result.content.every(({ type }) => rules.contentTypes.has(type));
  if (keepStructured && keepContent) {
    return result;
  }
  const { structuredContent, ...rest } = result;
  return {
    ...rest,
    content: keepContent ? result.content : result.content.map((block) => downConvertBlock(block, rules)),
    ...(keepStructured && structuredContent !== undefined ? { structuredContent } : {}),
  };
}

/** The block, or a text in its place if the revision lacks its type. */
export function downConvertBlock(block: ContentBlock, rules: RevisionRules): ContentBlock {
  if (rules.contentTypes.has(block.type)) {
    return block;
  }
  return block.type === "resource_link"
    ? text(`${block.title ?? block.name}: ${block.uri}`)
    : text(`[${block.type} content, which this revision of the protocol cannot carry]`);
}
