import { isDeepStrictEqual } from "node:util";

import { isCollection, parseDocument, stringify } from "yaml";

import type { Editor } from "./editor.ts";
import { withEntry } from "./yaml-lines.ts";

/**
 * YAML. Comments stay, and so does the layout of the rest, unless the servers are written between
 * braces.
 */
export const editor: Editor = {
  parse: (text) => read(text).toJS({ maxAliasCount: 100 }) as unknown,
  edit(text, changes) {
    const document = read(text);
    for (const { path, value } of changes) {
      if (value === undefined) {
        document.deleteIn(path);
        continue;
      }
      // A key without a value is a scalar, into which nothing can be put.
      const holder = path.slice(0, -1);
      if (!isCollection(document.getIn(holder, true))) {
        document.setIn(holder, document.createNode(typeof path.at(-1) === "number" ? [] : {}));
      }
      document.setIn(path, isPlain(value) ? value : document.createNode(value));
    }
    const [root = "", name = ""] = changes[0]?.path ?? [];
    const lines = withEntry(text, read(text), document, [String(root), name]);
    if (lines !== undefined && isDeepStrictEqual(editor.parse(lines), document.toJS())) {
      return lines;
    }
    const whole = document.toString({ lineWidth: 0 });
    return text.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole;
  },
  render([root = "", name = ""], value) {
    const holder = typeof name === "number" ? [value] : { [name]: value };
    const [head = "", ...body] = stringify({ [root]: holder }, { lineWidth: 0 })
      .trimEnd()
      .split("\n");
    return { head: [head], body, tail: [] };
  },
  blank: "",
};

/** A value that takes the place of another without the comment next to it. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

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
