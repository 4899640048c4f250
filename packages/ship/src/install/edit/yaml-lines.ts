import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

type Holder = YAMLMap | YAMLSeq;

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** A change or the removal of an entry. */
export interface EntryEdit {
  /** The key of the object or the list with all entries. */
  readonly root: string;
  readonly key: string | number;
  readonly isRemoval: boolean;
}

/**
 * Replaces the lines of one entry of a document, so that the layout of all others stays.
 *
 * @param before - The document of the text.
 * @param after - The same document with a changed entry, or without it.
 * @returns `undefined` if the entry has no lines of its own, as in `{ a: 1 }`.
 */
export function withEntry(
  text: string,
  before: Document,
  after: Document,
  { root, key, isRemoval }: EntryEdit,
): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [old, next] = [before.get(root, true), after.get(root, true)];
  // Lines after the mark of its end belong to another document.
  if (!(before.contents === null || isBlock(before.contents)) || /^\.\.\./m.test(text)) {
    return undefined;
  }
  // After a removal, another item of a list has this place.
  const item = isHolder(next) && !isRemoval ? itemOf(next, key) : undefined;
  const made = (each: unknown, column: number): string =>
    each === undefined || !isHolder(next) ? "" : rendered(next, each, text, column).replaceAll("\n", eol);
  if (!isHolder(old) || old.items.length === 0) {
    return added(text, before, root, (column) => made(item, column), eol);
  }
  const places = old.items.map((each) => linesOf(text, each));
  const [first] = places;
  const last = places.at(-1);
  if (!isBlock(old) || first === undefined || last === undefined || places.includes(undefined)) {
    return undefined;
  }
  const own = itemOf(old, key);
  const place = own === undefined ? undefined : places[old.items.indexOf(own as never)];
  const { start, end } = place ?? { start: last.end, end: last.end };
  if (item !== undefined || old.items.length > 1) {
    return joined(text.slice(0, start), made(item, columnAt(text, first.start)), text.slice(end), eol);
  }
  const whole = linesOf(text, pairOf(before, root))?.start ?? start;
  const [, head, comment = "", above = ""] =
    /^([^#\r\n]*?:)([ \t]+#[^\r\n]*)?[ \t]*\r?\n((?:[ \t]*(?:#[^\r\n]*)?\r?\n)*)$/.exec(
      text.slice(whole, start),
    ) ?? [];
  const empty = isSeq(old) ? "[]" : "{}";
  return head === undefined
    ? undefined
    : `${text.slice(0, whole)}${head} ${empty}${comment}${eol}${above}${text.slice(end)}`;
}

/** The comments outside of an entry, in alphabetical order. */
export function commentsOf(text: string, { contents }: Document, entry?: EntryEdit): readonly string[] {
  const holder = isMap(contents) && entry !== undefined ? contents.get(entry.root, true) : undefined;
  const own = isHolder(holder) && entry !== undefined ? ownRange(text, itemOf(holder, entry.key)) : undefined;
  const comments: string[] = [];
  let [at, isScalarNext] = [0, false];
  for (const token of new Lexer().lex(text)) {
    if (token === "\u0002" || token === "\u0018") {
      // Marks of the lexer, which are not in the text.
      continue;
    }
    if (token === "\u001F") {
      isScalarNext = true;
      continue;
    }
    if (!isScalarNext && token.startsWith("#") && !(own !== undefined && at >= own.start && at < own.end)) {
      comments.push(token.trimEnd());
    }
    isScalarNext = false;
    at += token.length;
  }
  return comments.toSorted();
}

/** The place of an item with the comment after it, in a block or between braces. */
function ownRange(text: string, item: unknown): Lines | undefined {
  const lines = linesOf(text, item);
  if (lines !== undefined) {
    return lines;
  }
  const [first, last] = isPair(item) ? [item.key, item.value ?? item.key] : [item, item];
  if (!isNode(first) || !isNode(last) || !first.range || !last.range) {
    return undefined;
  }
  const [start, end] = [first.range[0], last.range[1]];
  const [comment = ""] = /^[ \t]*,?[ \t]*#[^\n]*/.exec(text.slice(end)) ?? [];
  return { start, end: end + comment.length };
}

/** Adds the first entry. Its holder may exist without entries. */
function added(
  text: string,
  before: Document,
  root: string,
  made: (column: number) => string,
  eol: string,
): string | undefined {
  const pair = pairOf(before, root);
  if (pair === undefined) {
    return joined(text, `${root}:${eol}${made(2)}`, "", eol);
  }
  const start = linesOf(text, pair)?.start;
  if (start === undefined) {
    return undefined;
  }
  const [line = "", key, comment = ""] =
    /^([^#\r\n]*?:)[ \t]*(?:\{[ \t]*\}|\[[ \t]*\]|null|~)?([ \t]+#[^\r\n]*)?[ \t]*(?:\r?\n|$)/.exec(
      text.slice(start),
    ) ?? [];
  return key === undefined
    ? undefined
    : text.slice(0, start) + key + comment + eol + made(2) + text.slice(start + line.length);
}

function pairOf({ contents }: Document, key: string): unknown {
  return isMap(contents) ? itemOf(contents, key) : undefined;
}

function joined(before: string, made: string, after: string, eol: string): string {
  return before + (before === "" || before.endsWith("\n") || made === "" ? "" : eol) + made + after;
}

/** The lines of one item, indented as the others. */
function rendered(holder: Holder, item: unknown, text: string, column: number): string {
  const clone = holder.clone() as Holder;
  clone.items = [item];
  clone.flow = false;
  clone.comment = null;
  clone.commentBefore = null;
  const single = new Document(clone);
  const lines = single
    .toString({
      lineWidth: 0,
      indent: Math.max(1, isSeq(holder) ? 2 : column),
      indentSeq: !/^( *)[\w-]+:[ \t]*\r?\n\1- /m.test(text),
    })
    .split("\n");
  // Comments around the item are in the text already.
  const isContent = (line: string): boolean => /^\s*[^\s#]/.test(line);
  const kept = lines.slice(lines.findIndex(isContent), lines.findLastIndex(isContent) + 1);
  return kept.map((line) => `${line === "" ? "" : " ".repeat(column)}${line}\n`).join("");
}

function isHolder(node: unknown): node is Holder {
  return isMap(node) || isSeq(node);
}

function isBlock(node: unknown): boolean {
  return isHolder(node) && node.flow !== true;
}

function itemOf(holder: Holder, key: string | number): unknown {
  return isMap(holder)
    ? holder.items.find((pair) => (isScalar(pair.key) ? pair.key.value : pair.key) === key)
    : holder.items[Number(key)];
}

/** The lines of an item of a block, without the comments around it. */
function linesOf(text: string, item: unknown): Lines | undefined {
  const at = isPair(item) ? (item.key as Node).range?.[0] : dashOf(text, item);
  const end = endOf(text, item);
  if (at === undefined || end === undefined) {
    return undefined;
  }
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return text.slice(start, at).trim() === "" ? { start, end } : undefined;
}

function dashOf(text: string, item: unknown): number | undefined {
  const start = isNode(item) ? item.range?.[0] : undefined;
  const dash = start === undefined ? -1 : text.lastIndexOf("-", start - 1);
  return dash === -1 || text.slice(dash + 1, start).trim() !== "" ? undefined : dash;
}

/** The end of the last line of a node. */
function endOf(text: string, node: unknown): number | undefined {
  if (isPair(node)) {
    return endOf(text, node.value ?? node.key);
  }
  if (isCollection(node) && node.flow !== true && node.items.length > 0) {
    return endOf(text, node.items.at(-1));
  }
  const [, end] = isScalar(node) || isAlias(node) || isCollection(node) ? (node.range ?? []) : [];
  if (end === undefined) {
    return undefined;
  }
  const isWhole = isScalar(node) && node.type?.startsWith("BLOCK") === true;
  const found = text.indexOf("\n", end);
  return isWhole ? end : found === -1 ? text.length : found + 1;
}

function columnAt(text: string, start: number): number {
  return (/^ */.exec(text.slice(start))?.[0] ?? "").length;
}
