import type { Keyword, Vocabulary } from "../dialect/keyword.ts";

const reference: Keyword = {
  read(reader, node, value, keyword) {
    if (typeof value !== "string") throw reader.malformed(node, keyword, "a URI reference");
    if (keyword === "$ref") node.ref = reader.reference(node, value, keyword);
    else {
      node.dynamicRef = reader.dynamicReference(node, value, keyword);
      if (keyword !== "$dynamicRef") node.names = { ...node.names, dynamicRef: keyword };
    }
  },
};

/** The identifying keywords of draft-07. Identifiers and anchors are read while a document is scanned. */
export const core07: Vocabulary = {
  $id: {},
  $schema: {},
  $comment: {},
  $ref: reference,
  definitions: { holds: "members" },
};

const shared: Vocabulary = { ...core07, $anchor: {}, $vocabulary: {}, $defs: { holds: "members" } };

/** Core vocabulary of draft 2020-12 (core §8). */
export const core: Vocabulary = { ...shared, $dynamicAnchor: {}, $dynamicRef: reference };

/** `$recursiveRef` and `$recursiveAnchor` of draft 2019-09 in place of the dynamic keywords. */
export const core2019: Vocabulary = { ...shared, $recursiveAnchor: {}, $recursiveRef: reference };
