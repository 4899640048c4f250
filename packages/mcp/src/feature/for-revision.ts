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
  const { resultType } = result as FinalResult;
  if (resultType !== undefined && resultType !== "complete") {
    return result;
  }
  const rules = rulesOf(revision);
  let whole = downConvertStructured(result as FinalResult, rules);
  for (const name in whole) {
    const value = whole[name];
    if (partsOfResults.has(name) && Array.isArray(value)) {
      const converted = listForRevision(name, value, rules);
      whole = converted === value ? whole : { ...whole, [name]: converted };
    } else if (hints.has(name) && value !== undefined && rules.era === "legacy") {
      const { [name]: _, ...rest } = whole;
      whole = rest;
    }
  }
  return whole;
}

type FinalResult = Readonly<Record<string, unknown>>;

const partsOfResults: ReadonlySet<string> = new Set(["content", "contents", "messages"]);
const hints: ReadonlySet<string> = new Set(["resultType", "ttlMs", "cacheScope"]);

/** Returns the same list if nothing changes, which is usual. */
function listForRevision(name: string, list: readonly unknown[], rules: RevisionRules): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const converted = partForRevision(name, list[index], rules);
    if (converted !== list[index]) {
      changed ??= [...list];
      changed[index] = converted;
    }
  }
  return changed ?? list;
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
