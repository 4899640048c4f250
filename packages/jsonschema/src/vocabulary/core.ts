import type { Keyword, Vocabulary } from "../ir/keyword.ts";
import { text } from "../ir/reader.ts";

const reference: Keyword = {
  inPlace: true,
  read(reader, value) {
    const { node, keyword } = reader;
    const target = reader.reference(text(reader, value));
    if (keyword === "$ref") {
      node.ref = target;
    } else {
      node.dynamicRef = target;
      node.names = { ...node.names, dynamicRef: keyword };
    }
  },
};

/**
 * The identifying keywords of draft-07. Identifiers and anchors are read while a document is
 * scanned.
 */
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
