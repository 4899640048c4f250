import type { Vocabulary } from "../dialect/keyword.ts";

/** The format keyword (validation §7). It is asserted where the options or the dialect say so. */
export const format: Vocabulary = {
  format: {
    read(reader, node, value, keyword) {
      if (typeof value !== "string") throw reader.malformed(node, keyword, "a string");
      if (reader.options.formats === "assert" || reader.dialect.assertFormats)
        node.format = reader.format(value);
    },
  },
};
