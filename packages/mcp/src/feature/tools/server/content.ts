import { isPlain, isRecord } from "@tenon/base";
import type { CallToolResult, ContentBlock } from "@tenon/protocol";

import type { RevisionRules } from "../../../revisions/rules.ts";
import { downConvertBlock, isContentBlock, text } from "../../content-blocks.ts";

/**
 * Returns the result for the return value of a handler without an output schema, except for a
 * complete result.
 *
 * - a string: one text block;
 * - a content block, or an array of at least one: the content;
 * - `undefined`: empty content;
 * - any other value: as {@link structured}.
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

/**
 * The result for a value: `structuredContent`, repeated as JSON in a text block for clients that
 * know only text.
 *
 * @throws `TypeError` for a value that JSON cannot carry.
 * @source R-473
 */
export function structured(value: unknown): CallToolResult {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) {
    throw new TypeError(`A tool cannot return a ${typeof value}: JSON has no such value.`);
  }
  // The value as JSON has it, such as the text of a `Date`: some revisions allow only objects.
  const isJson = !isRecord(value) || value["toJSON"] === undefined;
  return { content: [text(json)], structuredContent: isJson ? value : (JSON.parse(json) as unknown) };
}

/**
 * True for a full `CallToolResult`. With an output schema a value that happens to have a `content`
 * array is data, unless it also has `structuredContent` or `isError: true`.
 */
export function isFullResult(returned: unknown, hasOutput: boolean): returned is CallToolResult {
  return (
    isRecord(returned) &&
    Array.isArray(returned["content"]) &&
    returned["content"].every(isContentBlock) &&
    (!hasOutput || "structuredContent" in returned || returned["isError"] === true)
  );
}

const resultMembers = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/**
 * Whether a handler returned a malformed result: a block without a required
 * property, a property of a result in another shape, or an object that JSON cannot show.
 *
 * @param full - Whether it has the shape of a complete result.
 */
export function isMalformed(returned: unknown, full: boolean, hasOutput: boolean): boolean {
  if (typeof returned !== "object" || returned === null) {
    return false;
  }
  if (full) {
    const { content: blocks } = returned as CallToolResult;
    return !blocks.every(isComplete) || Object.keys(returned).some((name) => !resultMembers.has(name));
  }
  if (!isPlain(returned) && !Array.isArray(returned)) {
    return Object.keys(returned).length === 0 && !("toJSON" in returned);
  }
  if (hasOutput) {
    return false;
  }
  return Array.isArray(returned)
    ? returned.some(isContentBlock) && !(returned.every(isContentBlock) && returned.every(isComplete))
    : isContentBlock(returned)
      ? !isComplete(returned)
      : "content" in returned || "structuredContent" in returned || "isError" in returned;
}

/** Whether a block has the properties that its type requires. */
export function isComplete(block: ContentBlock): boolean {
  const has = (name: string): boolean => typeof Reflect.get(block, name) === "string";
  switch (block.type) {
    case "text":
      return has("text");
    case "image":
    case "audio":
      return has("data") && has("mimeType");
    case "resource_link":
      return has("uri") && has("name");
    case "resource":
      return isRecord(block.resource) && typeof block.resource.uri === "string";
    default:
      return true;
  }
}

/**
 * The result as a revision knows it: see {@link downConvertBlock}; structured content that it lacks
 * is left out.
 *
 * @source R-472
 */
export function downConvertResult(result: CallToolResult, rules: RevisionRules): CallToolResult {
  const known = downConvertStructured(result, rules);
  const blocks = result.content.map((block) => downConvertBlock(block, rules));
  const keepContent = blocks.every((block, index) => block === result.content[index]);
  return keepContent ? known : { ...known, content: blocks };
}

/** The result without structured content that a revision lacks. */
export function downConvertStructured<T extends { readonly structuredContent?: unknown }>(
  result: T,
  rules: RevisionRules,
): T {
  const { structuredContent } = result;
  const isKept =
    structuredContent === undefined ||
    rules.structuredContent === "any" ||
    (rules.structuredContent === "object" && isRecord(structuredContent));
  if (isKept) {
    return result;
  }
  const { structuredContent: _, ...rest } = result;
  return rest as T;
}
