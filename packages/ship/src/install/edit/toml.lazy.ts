import { parse, stringify, TomlError } from "smol-toml";

import type { Editor } from "./editor.ts";

/** TOML, whose tables are replaced and appended as lines, so that comments stay. */
export const editor: Editor = {
  parse(text) {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof TomlError
        ? new Error(`line ${error.line}, column ${error.column}`, { cause: error })
        : error;
    }
  },
  edit(text, path, value) {
    const lines = text.split("\n");
    const found = tablesOf(lines, path.map(String));
    const made = value === undefined ? [] : stringify(nested(path, value)).trimEnd().split("\n");
    const [first] = found;
    if (first === undefined) {
      const head = text.trimEnd();
      return made.length === 0 ? text : `${head}${head === "" ? "" : "\n\n"}${made.join("\n")}\n`;
    }
    const removed = new Set(found.flatMap(({ start, end }) => rangeOf(start, end)));
    const kept = lines.flatMap((line, index) => [
      ...(index === first.start && made.length > 0 ? [...made, ""] : []),
      ...(removed.has(index) ? [] : [line]),
    ]);
    return `${kept.join("\n").trimEnd()}\n`;
  },
  blank: "",
};

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** The lines of all tables at a path and below. A comment above a table belongs to it. */
function tablesOf(lines: readonly string[], path: readonly string[]): readonly Lines[] {
  const heads = lines.flatMap((line, index) => (/^\s*\[/.test(line) ? [index] : []));
  return heads.flatMap((start, index): readonly Lines[] => {
    const keys = keysOf(lines[start] ?? "");
    if (!path.every((key, depth) => keys[depth] === key)) {
      return [];
    }
    let end = heads[index + 1] ?? lines.length;
    while (end < lines.length && end > start + 1 && /^\s*#/.test(lines[end - 1] ?? "")) {
      end -= 1;
    }
    return [{ start, end }];
  });
}

function keysOf(head: string): readonly string[] {
  const [, inside = ""] = /^\s*\[\[?(.*?)\]?\]\s*(?:#.*)?$/.exec(head) ?? [];
  return [...inside.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, basic, literal, plain]) => basic ?? literal ?? plain ?? "",
  );
}

function nested(path: readonly (string | number)[], value: unknown): Record<string, unknown> {
  return path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

function rangeOf(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
