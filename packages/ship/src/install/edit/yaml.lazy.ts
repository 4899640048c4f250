import { isDeepStrictEqual } from "node:util";

import { isCollection, isMap, parseDocument, stringify, type Document } from "yaml";

import type { Editor } from "./editor.ts";
import { commentsOf, withEntry } from "./yaml-lines.ts";

/**
 * YAML. Comments stay, and so does the layout. Servers between braces get a regular layout, and the
 * whole file does if it is written between braces.
 */
export const editor: Editor = {
  parse: (text) => valueOf(read(text)),
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
    const last = changes.at(-1);
    const isRemoval = last?.value === undefined && last?.path.length === 2;
    const entry = { root: String(root), key: name, isRemoval };
    const [before, expected] = [read(text), valueOf(document)];
    const comments = commentsOf(text, before, entry);
    const isSame = (made: string): boolean => {
      const after = read(made);
      return (
        isDeepStrictEqual(valueOf(after), expected) &&
        isDeepStrictEqual(commentsOf(made, after, isRemoval ? undefined : entry), comments)
      );
    };
    const lines = withEntry(text, before, document, entry);
    if (lines !== undefined && isSame(lines)) {
      return lines;
    }
    const whole = document.toString({ lineWidth: 0 });
    const next = text.includes("\r\n") ? whole.replaceAll("\n", "\r\n") : whole;
    // The whole document is written only if its servers alone cannot be replaced.
    const made = [withBraces(text, before, next, entry.root), next].find(
      (each) => each !== undefined && isSame(each),
    );
    if (made === undefined) {
      throw new Error("A comment or another value would be lost.");
    }
    return made;
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

/** Replaces a value between braces by the same value of a whole new text. */
function withBraces(text: string, before: Document, next: string, root: string): string | undefined {
  const [old, made] = [before, read(next)].map(({ contents }) =>
    isMap(contents) ? contents.get(root, true) : undefined,
  );
  return isCollection(old) && old.flow === true && old.range && isCollection(made) && made.range
    ? text.slice(0, old.range[0]) + next.slice(made.range[0], made.range[1]) + text.slice(old.range[1])
    : undefined;
}

/** A value that takes the place of another without the comment next to it. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** The value of a document. Only integers that a number cannot contain are of type `bigint`. */
function valueOf(document: Document): unknown {
  return document.toJS({
    maxAliasCount: 100,
    reviver: (_, value) =>
      typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  }) as unknown;
}

function read(text: string): Document.Parsed {
  const document = parseDocument(text, { intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const [start] = error.linePos ?? [];
    const at = start === undefined ? "" : `line ${start.line}, column ${start.col}: `;
    throw new Error(`${at}${error.code.toLowerCase().replaceAll("_", " ")}`);
  }
  return document;
}
