import type { Keyword, Vocabulary } from "../ir/keyword.ts";

/** Content vocabulary (validation §8): annotations only; `contentSchema` is not applied. */
export const content: Vocabulary = { contentSchema: { holds: "schemas" } };

const assertion: Keyword = {
  read({ options: { formats = "annotate" }, node, format }) {
    if (formats === "annotate" || typeof node.schema === "boolean") {
      return;
    }
    const { contentEncoding, contentMediaType } = node.schema;
    const parts = [contentEncoding, contentMediaType].filter((part) => typeof part === "string");
    // No `format` starts with a space.
    node.content = format(` ${parts.join(" ")}`);
  },
};

/**
 * Content keywords of draft-07 (validation draft-07 §8): checked along with formats, for base64 and
 * JSON.
 */
export const contentAssertion: Vocabulary = { contentEncoding: assertion, contentMediaType: assertion };
