import type { Vocabulary } from "../dialect/keyword.ts";
import { text } from "../ir/reader.ts";

/** The format keyword (validation §7). It is asserted if the options or the dialect require it. */
export const format: Vocabulary = {
  format: {
    read(reader, value) {
      const name = text(reader, value);
      const isAsserted = reader.options.formats === "assert" || reader.node.resource.dialect.assertFormats;
      return isAsserted ? reader.format(name) : undefined;
    },
  },
};
