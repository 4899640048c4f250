import { isRecord } from "@tenon/base";
import {
  memberTables,
  type Annotations,
  type ContentBlock,
  type EmbeddedResource,
  type TextContent,
} from "@tenon/protocol";

import { onlyFields } from "../base/values.ts";
import type { RevisionRules } from "../revisions/rules.ts";

/** A text block. @source S-054 */
export function text(value: string): TextContent {
  return { type: "text", text: value };
}

const blockTypes = /* @__PURE__ */ (() =>
  new Set(Object.values(memberTables).flatMap((members) => [...members.blockTypes])))();

/** True for a block of a type that exists in any revision. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && typeof value["type"] === "string" && blockTypes.has(value["type"]);
}

/**
 * Returns the block without the properties that a protocol version does not have, or a text block
 * if the version does not have its type. Returns the same block if nothing changes.
 *
 * @source R-474
 */
export function downConvertBlock(block: ContentBlock, rules: RevisionRules): ContentBlock {
  if (!rules.members.blockTypes.has(block.type)) {
    return block.type === "resource_link"
      ? text(`${block.title ?? block.name}: ${block.uri}`)
      : text(`[${block.type} content, which this revision of the protocol cannot carry]`);
  }
  const fields = rules.members.blocks[block.type];
  if (fields === undefined) {
    return block;
  }
  const known = downConvertAnnotations(onlyFields(block, fields), rules);
  return known.type === "resource" ? downConvertEmbedded(known, rules) : known;
}

function downConvertEmbedded(block: EmbeddedResource, rules: RevisionRules): EmbeddedResource {
  const resource = onlyFields(block.resource, rules.members.contents);
  return resource === block.resource ? block : { ...block, resource };
}

/**
 * The object with only those annotations that a revision has. The same object if it has no others.
 *
 * @source R-520
 */
export function downConvertAnnotations<T extends { annotations?: Annotations }>(
  value: T,
  rules: RevisionRules,
): T {
  const annotations = value.annotations && onlyFields(value.annotations, rules.members.annotations);
  return annotations === value.annotations ? value : { ...value, annotations };
}
