import { applyEdits, modify, parse, printParseErrorCode, type ParseError } from "jsonc-parser";

import type { Editor } from "./editor.ts";

/** JSON with comments and trailing commas, which stay. */
export const editor: Editor = {
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) {
      const before = text.slice(0, first.offset).split("\n");
      const at = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
      throw new Error(`${at}: ${printParseErrorCode(first.error)}`);
    }
    return value;
  },
  edit(text, path, value) {
    const tab = /^\t/m.test(text);
    const [, indent = "  "] = /^[{[]?\s*\n( +)\S/.exec(text) ?? [];
    const formattingOptions = {
      insertSpaces: !tab,
      tabSize: tab ? 1 : indent.length,
      eol: text.includes("\r\n") ? "\r\n" : "\n",
    };
    return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  },
  blank: "{}\n",
};
