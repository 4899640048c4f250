import type { Vocabulary } from "../ir/keyword.ts";
import { text } from "../ir/reader.ts";

/** The format keyword (validation §7). It is asserted if the options or the dialect require it. */
export const format: Vocabulary = {
  format: {
    read(reader, value) {
      const name = text(reader, value);
      const { formats = "annotate" } = reader.options;
      const isAsserted = formats !== "annotate" || reader.node.resource.dialect.assertFormats;
      const format = isAsserted ? reader.format(name) : undefined;
      if (formats === "strict") {
        reader.require([`a known format; got ${name}`, () => !!format], value);
      }
      return format;
    },
  },
};
