import type { Vocabulary } from "../dialect/keyword.ts";
import type { KeywordReader } from "../ir/reader.ts";

const ref: KeywordReader = (reader, node, value, keyword) => {
  if (typeof value !== "string") throw reader.malformed(node, keyword, "a URI reference");
  node.ref = reader.reference(node, value, keyword);
};

const dynamicRef: KeywordReader = (reader, node, value, keyword) => {
  if (typeof value !== "string") throw reader.malformed(node, keyword, "a URI reference");
  node.dynamicRef = reader.dynamicReference(node, value, keyword);
  if (keyword !== "$dynamicRef") node.names = { ...node.names, dynamicRef: keyword };
};

/** Core vocabulary (core §8). Identifiers and anchors are read while a document is scanned. */
export const core: Vocabulary = {
  $id: { holds: "none" },
  $schema: { holds: "none" },
  $anchor: { holds: "none" },
  $dynamicAnchor: { holds: "none" },
  $vocabulary: { holds: "none" },
  $comment: { holds: "none" },
  $ref: { holds: "none", read: ref },
  $dynamicRef: { holds: "none", read: dynamicRef },
  $defs: { holds: "map" },
  definitions: { holds: "map" },
};

/** `$recursiveRef` and `$recursiveAnchor` of draft 2019-09 in place of the dynamic keywords. */
export const core2019: Vocabulary = {
  $id: { holds: "none" },
  $schema: { holds: "none" },
  $anchor: { holds: "none" },
  $recursiveAnchor: { holds: "none" },
  $vocabulary: { holds: "none" },
  $comment: { holds: "none" },
  $ref: { holds: "none", read: ref },
  $recursiveRef: { holds: "none", read: dynamicRef },
  $defs: { holds: "map" },
  definitions: { holds: "map" },
};

/** The identifying keywords of draft-07. */
export const core07: Vocabulary = {
  $id: { holds: "none" },
  $schema: { holds: "none" },
  $comment: { holds: "none" },
  $ref: { holds: "none", read: ref },
  definitions: { holds: "map" },
};
