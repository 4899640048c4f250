import { isCollection, parseDocument } from "yaml";

import type { Editor } from "./editor.ts";

/** YAML. Comments stay; the layout of the rest may become more regular. */
export const editor: Editor = {
  parse: (text) => read(text).toJS({ maxAliasCount: 100 }) as unknown,
  edit(text, path, value) {
    const document = read(text);
    if (value === undefined) {
      document.deleteIn(path);
    } else {
      // A key without a value is a scalar, into which nothing can be put.
      const holder = path.slice(0, -1);
      if (!isCollection(document.getIn(holder, true))) {
        document.setIn(holder, document.createNode(typeof path.at(-1) === "number" ? [] : {}));
      }
      document.setIn(path, document.createNode(value));
    }
    return document.toString({ lineWidth: 0 });
  },
  blank: "",
};

function read(text: string): ReturnType<typeof parseDocument> {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const [start] = error.linePos ?? [];
    const at = start === undefined ? "" : `line ${start.line}, column ${start.col}: `;
    throw new Error(`${at}${error.code.toLowerCase().replaceAll("_", " ")}`);
  }
  return document;
}
