import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";

import type { Editor } from "./editor.ts";
import { withinProperty, withoutProperty, withProperty } from "./json-properties.ts";

/** JSON with comments and trailing commas, which stay. */
export const editor: Editor = {
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowEmptyContent: true, allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) {
      const before = text.slice(0, first.offset).split("\n");
      const at = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
      throw new Error(`${at}: ${printParseErrorCode(first.error)}`);
    }
    return value;
  },
  edit(text, changes) {
    return withinProperty(text, String(changes[0]?.path[0]), (part) =>
      changes.reduce(
        (now, { path, value }) =>
          value === undefined ? withoutProperty(now, path) : withProperty(now, path, value),
        part,
      ),
    );
  },
  render([root = "", name = ""], value) {
    const body = `${JSON.stringify(String(name))}: ${JSON.stringify(value, undefined, 2)}`;
    return {
      head: ["{", `  ${JSON.stringify(String(root))}: {`],
      body: body.split("\n").map((line) => `    ${line}`),
      tail: ["  }", "}"],
    };
  },
  blank: "{}\n",
};
