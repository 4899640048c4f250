import type { Vocabulary } from "../dialect/keyword.ts";
import { text } from "../ir/reader.ts";

/** The format keyword (validation §7). It is asserted where the options or the dialect say so. */
export const format: Vocabulary = {
  format: {
    read(reader, value) {
      const name = text(reader, value, "a string");
      const { options, node } = reader;
      if (options.formats === "assert" || node.resource.dialect.assertFormats)
        node.format = reader.format(name);
    },
  },
};
