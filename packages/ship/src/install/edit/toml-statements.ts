import { parse } from "smol-toml";

/** The keys of a table or a value. Elements of arrays of tables have a key of their own. */
export type Path = readonly string[];

/** A line of valid TOML that is not empty and not a comment, or the lines of one value. */
export interface Statement {
  /** The head of a table, an element of an array of tables, or a key with its value. */
  readonly kind: "table" | "element" | "pair";
  readonly path: Path;
  /** The start of the first line, and the end of the last line with its line break. */
  readonly start: number;
  readonly end: number;
  /** The text of the value of a pair. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The statements of valid TOML in their order. */
export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let [table, elements]: [Path, number] = [[], 0];
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = after(text, at, /[ \t]*/y);
    const head = /\[\[?/y;
    head.lastIndex = at;
    const [open] = head.exec(text) ?? [];
    if (open === undefined && /[#\r\n]|$/y.test(text.slice(at, at + 1))) {
      at = lineEnd(text, at);
      continue;
    }
    const keys = keysAt(text, at + (open?.length ?? 0));
    const [valueStart, valueEnd] =
      open === undefined ? valueAt(text, after(text, keys.end, equals)) : [keys.end, keys.end];
    const end = lineEnd(text, valueEnd);
    if (open === undefined) {
      statements.push({ kind: "pair", path: [...table, ...keys.path], start, end, valueStart, valueEnd });
    } else {
      const isElement = open === "[[";
      // No key of TOML contains a line break here, so no other path is equal.
      table = isElement ? [...keys.path, `\n${elements}`] : keys.path;
      elements += 1;
      statements.push({
        kind: isElement ? "element" : "table",
        path: table,
        start,
        end,
        valueStart,
        valueEnd,
      });
    }
    at = end;
  }
  return statements;
}

/**
 * The pairs of a value between braces, each from its key to the end of its value. None for another
 * value.
 */
export function pairsOf(text: string, { path, valueStart, valueEnd }: Statement): readonly Statement[] {
  const pairs: Statement[] = [];
  let at = text[valueStart] === "{" ? valueStart + 1 : valueEnd;
  for (;;) {
    const start = after(text, at, /(?:[\s,]|#[^\n]*)*/y);
    const keys = keysAt(text, start);
    if (start >= valueEnd || keys.path.length === 0) {
      return pairs;
    }
    const [from, end] = valueAt(text, after(text, keys.end, equals));
    pairs.push({ kind: "pair", path: [...path, ...keys.path], start, end, valueStart: from, valueEnd: end });
    at = end;
  }
}

const equals = /[ \t]*=[ \t]*/y;

function after(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function lineEnd(text: string, at: number): number {
  const found = text.indexOf("\n", at);
  return found === -1 ? text.length : found + 1;
}

/** A dotted key. */
function keysAt(text: string, start: number): { readonly path: Path; readonly end: number } {
  const path: string[] = [];
  const key = /[ \t]*(?:([\w-]+)|("(?:[^"\\\n]|\\.)*"|'[^'\n]*'))[ \t]*(\.?)/y;
  key.lastIndex = start;
  let end = start;
  for (;;) {
    const found = key.exec(text);
    if (found === null) {
      return { path, end };
    }
    const [, plain, quoted = '""', dot] = found;
    path.push(plain ?? (parse(`a = ${quoted}`)["a"] as string));
    end = key.lastIndex;
    if (dot === "") {
      return { path, end };
    }
  }
}

/** Anything in a value in which brackets, line breaks and `#` do not count. */
const tokens =
  /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\r?\n|[ \t]+|[^\s"'#[\]{},]+|[^]/y;

/** The text of a value, without the spaces and the comment after it. */
function valueAt(text: string, start: number): readonly [number, number] {
  let [depth, end] = [0, start];
  tokens.lastIndex = start;
  for (;;) {
    const [token] = tokens.exec(text) ?? [];
    if (token === undefined || (depth === 0 && /^(?:[#,\]}]|\r?\n)/.test(token))) {
      return [start, end];
    }
    depth += token === "[" || token === "{" ? 1 : token === "]" || token === "}" ? -1 : 0;
    end = /^[ \t\r]+$/.test(token) ? end : tokens.lastIndex;
  }
}
