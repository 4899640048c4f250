import { isRecord } from "@tenon/base";
import { parse, stringify, TomlError } from "smol-toml";

import type { Change } from "../changes.ts";
import type { Editor } from "./editor.ts";
import { pairsOf, statementsOf, type Path, type Statement } from "./toml-statements.ts";

/** TOML, whose statements are replaced one by one, so that comments and the layout stay. */
export const editor: Editor = {
  parse(text) {
    try {
      return parse(text, { integersAsBigInt: "asNeeded" });
    } catch (error) {
      // Its message quotes the text.
      throw error instanceof TomlError ? new Error(`line ${error.line}, column ${error.column}`) : error;
    }
  },
  edit(text, changes) {
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    return changes.reduce((now, { path, value }) => {
      const keys = path.map(String);
      return value === undefined ? without(now, keys) : withValue(now, keys, value, eol);
    }, text);
  },
  render: (path, value) => ({ head: [], body: tableOf(path, value), tail: [] }),
  blank: "",
};

function withValue(text: string, path: Path, value: unknown, eol: string): string {
  const statements = statementsOf(text);
  const pair = statements.find(({ kind, path: at }) => kind === "pair" && startsWith(path, at));
  if (pair !== undefined) {
    return replaced(text, pair, path, value);
  }
  const cleared = statements.some(({ path: at }) => startsWith(at, path)) ? without(text, path) : text;
  return isRecord(value) ? withTable(cleared, path, value, eol) : withPair(cleared, path, inline(value), eol);
}

/** Replaces the value of a pair, or a value within its braces. All other text stays. */
function replaced(text: string, pair: Statement, path: Path, value: unknown): string {
  const { valueStart, valueEnd } = pair;
  const inner = path.slice(pair.path.length);
  if (inner.length === 0) {
    return text.slice(0, valueStart) + inline(value) + text.slice(valueEnd);
  }
  if (text[valueStart] !== "{") {
    // The caller notices that nothing changed.
    return text;
  }
  const pairs = pairsOf(text, pair);
  const holder = pairs.find(
    ({ path: at }) => startsWith(path, at) && (value !== undefined || at.length < path.length),
  );
  if (holder !== undefined) {
    return replaced(text, holder, path, value);
  }
  const gone = pairs.findLast(({ path: at }) => startsWith(at, path));
  if (gone !== undefined) {
    const less = withoutPair(text, pair, pairs, gone);
    return replaced(less, { ...pair, valueEnd: valueEnd + less.length - text.length }, path, value);
  }
  if (value === undefined) {
    return text;
  }
  const made = `${inner.map(keyOf).join(".")} = ${inline(value)}`;
  const last = pairs.at(-1);
  return last === undefined
    ? `${text.slice(0, valueStart)}{ ${made} }${text.slice(valueEnd)}`
    : `${text.slice(0, last.end)}, ${made}${text.slice(last.end)}`;
}

/** Removes a pair between braces, with one comma. */
function withoutPair(
  text: string,
  { valueStart, valueEnd }: Statement,
  pairs: readonly Statement[],
  pair: Statement,
): string {
  const index = pairs.indexOf(pair);
  const [previous, next] = [pairs[index - 1], pairs[index + 1]];
  const start = next === undefined ? (previous?.end ?? valueStart + 1) : pair.start;
  const end = next?.start ?? (previous === undefined ? valueEnd - 1 : pair.end);
  const around = text.slice(start, pair.start) + text.slice(pair.end, end);
  if (!around.includes("#")) {
    return text.slice(0, start) + text.slice(end);
  }
  // All comments around it stay.
  const [head, tail] = [text.slice(0, pair.start), text.slice(pair.end)];
  const [less, from] = [withoutComma(tail, 0), previous?.end];
  return less !== tail || from === undefined ? head + less : withoutComma(head, from) + tail;
}

/** Removes the comma that follows a place, after comments. */
function withoutComma(text: string, at: number): string {
  const comma = /(?:\s|#[^\n]*\n)*,/y;
  comma.lastIndex = at;
  return comma.test(text) ? text.slice(0, comma.lastIndex - 1) + text.slice(comma.lastIndex) : text;
}

/** Adds a table after the last table that belongs to the same object. */
function withTable(text: string, path: Path, value: unknown, eol: string): string {
  const statements = statementsOf(text);
  let index = statements.findLastIndex(({ path: at }) => startsWith(at, path.slice(0, -1)));
  const made = tableOf(path, value).join(eol) + eol;
  if (index === -1) {
    return text.trim() === "" ? text.trimEnd() + made : text.trimEnd() + eol + eol + made;
  }
  while (statements[index + 1]?.kind === "pair") {
    index += 1;
  }
  const last = statements[index]?.end ?? text.length;
  // A comment directly after the table belongs to it, unless it is above another statement.
  const [comment = ""] = /^(?:[ \t]*#[^\n]*\n)+(?=[ \t]*(?:\r?\n|$))/.exec(text.slice(last)) ?? [];
  const end = last + comment.length;
  const [before, after] = [text.slice(0, end), text.slice(end)];
  const isNext = /^[ \t]*[^\s]/.test(after);
  return before + (before.endsWith("\n") ? eol : eol + eol) + made + (isNext ? eol : "") + after;
}

/** Adds a pair to its table, which may not have a head yet. */
function withPair(text: string, path: Path, written: string, eol: string): string {
  const statements = statementsOf(text);
  const [table, key = ""] = [path.slice(0, -1), path.at(-1)];
  const head = statements.findIndex(({ kind, path: at }) => kind === "table" && isSame(at, table));
  if (head !== -1) {
    const next = statements.findIndex(({ kind }, index) => index > head && kind !== "pair");
    const last = statements[next === -1 ? statements.length - 1 : next - 1] ?? statements[head];
    const at = last?.end ?? text.length;
    const [indent = ""] = /^[ \t]*/.exec(text.slice(last?.start)) ?? [];
    const end = text.slice(0, at).endsWith("\n") ? "" : eol;
    return `${text.slice(0, at)}${end}${indent}${keyOf(key)} = ${written}${eol}${text.slice(at)}`;
  }
  const first = statements.find(({ path: at }) => startsWith(at, table));
  const made = `[${table.map(keyOf).join(".")}]${eol}${keyOf(key)} = ${written}${eol}`;
  const at = first?.start ?? text.length;
  const before = first === undefined && text.trim() !== "" ? text.trimEnd() + eol + eol : text.slice(0, at);
  return before + made + (first === undefined ? "" : eol) + text.slice(at);
}

/**
 * Removes everything at a path and below. Comments up to the last pair of a removed table are
 * removed with it; comments after that pair stay, because they are usually about what follows.
 */
function without(text: string, path: Path): string {
  const statements = statementsOf(text);
  const holder = statements.find(
    ({ kind, path: at }) => kind === "pair" && at.length < path.length && startsWith(path, at),
  );
  if (holder !== undefined) {
    return replaced(text, holder, path, undefined);
  }
  const gone: { readonly start: number; end: number }[] = [];
  let isInTable = false;
  for (const { kind, path: at, start, end } of statements) {
    const open = gone.at(-1);
    const isGone = startsWith(at, path);
    if (kind === "pair" && isInTable && open !== undefined) {
      open.end = end;
    } else if (isGone) {
      gone.push({ start, end });
    }
    isInTable = kind === "pair" ? isInTable : isGone;
  }
  return gone.reduceRight((now, { start, end }) => cut(now, start, end), text);
}

/** Removes lines, and surplus empty lines around them. */
function cut(text: string, start: number, end: number): string {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (after.trim() === "") {
    const kept = before.trimEnd();
    return kept === "" ? "" : `${kept}${before.includes("\r\n") ? "\r\n" : "\n"}`;
  }
  const isOpen = before === "" || /\n[ \t]*\r?\n$/.test(before);
  return before + (isOpen ? after.replace(/^(?:[ \t]*\r?\n)+/, "") : after);
}

/** The lines of a table with a value. */
function tableOf(path: Change["path"], value: unknown): readonly string[] {
  const nested = path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  return stringify(nested).trimEnd().split("\n");
}

function inline(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(inline).join(", ")}]`;
  }
  if (isRecord(value)) {
    const pairs = Object.entries(value).map(([key, each]) => `${keyOf(key)} = ${inline(each)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return stringify({ a: value }).trim().slice("a = ".length);
}

function keyOf(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((key, depth) => path[depth] === key);
}

function isSame(path: Path, other: Path): boolean {
  return path.length === other.length && startsWith(path, other);
}
