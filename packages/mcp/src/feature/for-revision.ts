import { isRecord } from "@tenon/base";
import type { Prompt, Resource, Revision, Tool } from "@tenon/protocol";

import { onlyFields } from "../base/values.ts";
import { rulesOf } from "../revisions/index.ts";
import type { RevisionRules } from "../revisions/rules.ts";
import { downConvertAnnotations, downConvertBlock, isContentBlock } from "./content-blocks.ts";
import { downConvertPrompt } from "./prompts/server.ts";
import { downConvertTool } from "./tools/server.ts";
import { downConvertStructured } from "./tools/server/content.ts";

/**
 * Returns an item of a list without what a protocol version does not have: for proxies, whose
 * servers may speak another version than their clients. Returns the same item if nothing changes.
 *
 * @param member - Such as `tools`.
 * @source
 */
export function itemForRevision(
  member: "tools" | "prompts" | "resources" | "resourceTemplates",
  item: object,
  revision: Revision,
): object {
  const rules = rulesOf(revision);
  switch (member) {
    case "tools":
      return downConvertTool(item as Tool, rules);
    case "prompts":
      return downConvertPrompt(item as Prompt, rules);
    default: {
      const fields = member === "resources" ? rules.members.resource : rules.members.resourceTemplate;
      return onlyFields(downConvertAnnotations(item as Resource, rules), fields);
    }
  }
}

/**
 * Returns a complete result without what a protocol version does not have, as
 * {@link itemForRevision}.
 *
 * @source
 */
export function resultForRevision(result: object, revision: Revision): object {
  const rules = rulesOf(revision);
  const { resultType, ttlMs, cacheScope } = result as Readonly<Record<string, unknown>>;
  if (resultType !== undefined && resultType !== "complete") {
    return result;
  }
  const isWhole =
    rules.era === "modern" || (resultType === undefined && ttlMs === undefined && cacheScope === undefined);
  let whole = downConvertStructured(isWhole ? (result as FinalResult) : withoutHints(result), rules);
  for (const name of partsOfResults) {
    const list = whole[name];
    if (Array.isArray(list)) {
      const items: readonly unknown[] = list;
      const converted = items.map((item) => partForRevision(name, item, rules));
      const isSame = converted.every((item, index) => item === items[index]);
      whole = isSame ? whole : { ...whole, [name]: converted };
    }
  }
  return whole;
}

type FinalResult = Readonly<Record<string, unknown>>;

const partsOfResults = ["content", "contents", "messages"] as const;

function withoutHints(result: object): FinalResult {
  const { resultType: _, ttlMs: __, cacheScope: ___, ...rest } = result as FinalResult;
  return rest;
}

function partForRevision(name: string, part: unknown, rules: RevisionRules): unknown {
  if (!isRecord(part)) {
    return part;
  }
  switch (name) {
    case "contents":
      return onlyFields(part, rules.members.contents);
    case "messages": {
      const { content } = part;
      const converted = blockForRevision(content, rules);
      return converted === content ? part : { ...part, content: converted };
    }
    default:
      return blockForRevision(part, rules);
  }
}

/** Malformed blocks are returned unchanged. */
function blockForRevision(block: unknown, rules: RevisionRules): unknown {
  const isWhole = isContentBlock(block) && (block.type !== "resource" || isRecord(block.resource));
  return isWhole ? downConvertBlock(block, rules) : block;
}
