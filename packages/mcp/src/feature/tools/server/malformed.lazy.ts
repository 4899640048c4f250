import { isNear, isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import { isContentBlock } from "../../content-blocks.ts";
import type { ToolErrorSink } from "./call.ts";
import { isComplete } from "./content.ts";
import { invalidResult } from "./unwritable.ts";

export { unwritableResult } from "./unwritable.ts";

/** The properties that blocks of a type require. */
const required: Readonly<Record<string, string>> = {
  text: "text",
  image: "data and mimeType",
  audio: "data and mimeType",
  resource_link: "uri and name",
  resource: "resource with uri",
};

/**
 * Reports a return value that was meant as a result, and returns an error for the model.
 *
 * @returns `undefined` if the result is complete and has no misspelt property.
 */
export function malformedResult(
  name: string,
  returned: object,
  full: boolean,
  onError: ToolErrorSink,
): CallToolResult | undefined {
  const problem = problemOf(returned, full);
  if (problem === undefined) {
    return undefined;
  }
  return invalidResult(name, problem, undefined, onError);
}

function problemOf(returned: object, full: boolean): string | undefined {
  const blocks: unknown = Array.isArray(returned) ? returned : Reflect.get(returned, "content");
  if (full || Array.isArray(returned) || isContentBlock(returned)) {
    const all: readonly unknown[] = Array.isArray(blocks) ? blocks : [returned];
    const index = all.findIndex((block) => !isContentBlock(block) || !isComplete(block));
    if (index >= 0) {
      return `block ${index} ${blockProblem(all[index])}`;
    }
    const names = ["isError", "structuredContent"];
    const slip = Object.keys(returned).find((key) => names.some((name) => name !== key && isNear(name, key)));
    return slip && `it has a property ${JSON.stringify(slip)}; results have ${names.join(" and ")}.`;
  }
  if (Array.isArray(blocks)) {
    const index = blocks.findIndex((block) => !isContentBlock(block));
    return `block ${index} ${blockProblem(blocks[index])}`;
  }
  if (["content", "structuredContent", "isError"].some((name) => name in returned)) {
    const got = "content" in returned ? `got ${typeof blocks}` : "it is missing";
    return `content must be an array of blocks; ${got}. If this is data, give the tool an output schema.`;
  }
  const { name = "object" } = (returned.constructor ?? {}) as { readonly name?: string };
  return `JSON cannot show the content of a ${name}. Return an object, an array or a string.`;
}

function blockProblem(block: unknown): string {
  const type: unknown = isRecord(block) ? block["type"] : undefined;
  return isContentBlock(block)
    ? `has the type ${block.type}, which requires ${required[block.type] ?? "more"}.`
    : `must have one of the types ${Object.keys(required).join(", ")}; got ${JSON.stringify(type) ?? "none"}.`;
}
