import { createScanner, findNodeAtLocation, parseTree, type Node } from "jsonc-parser";

import type { Change } from "../changes.ts";

/** Values of jsonc-parser's `SyntaxKind`, a const enum. */
const kinds = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, trivia: 15 } as const;

/** Edits a property as a file of its own, because the rest of the file can be large. */
export function withinProperty(text: string, key: string, edit: (text: string) => string): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const property = tree && findNodeAtLocation(tree, [key])?.parent;
  if (property === undefined) {
    return edit(text);
  }
  const isOwn = isOnOwnLine(text, property);
  const start = isOwn ? text.lastIndexOf("\n", property.offset - 1) + 1 : property.offset;
  const frame = isOwn ? eolOf(text) : "";
  const end = endOf(property);
  const edited = edit(`{${frame}${text.slice(start, end)}${frame}}`);
  return text.slice(0, start) + edited.slice(1 + frame.length, -1 - frame.length) + text.slice(end);
}

/** Sets a property, in the layout of the properties around it. */
export function withProperty(text: string, path: Change["path"], value: unknown): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree === undefined) {
    // There are comments only.
    const nested = path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
    return `${text}${text === "" || text.endsWith("\n") ? "" : eolOf(text)}${written(text, nested, "")}${eolOf(text)}`;
  }
  const found = findNodeAtLocation(tree, [...path]);
  if (found !== undefined) {
    const { offset, length } = found;
    const isShort = !text.slice(offset, offset + length).includes("\n") && isFlat(value);
    const made = isShort ? short(value) : written(text, value, indentAt(text, offset));
    return text.slice(0, offset) + made + text.slice(offset + length);
  }
  const depth = path.findLastIndex(
    (_, index) => findNodeAtLocation(tree, path.slice(0, index)) !== undefined,
  );
  const holder = findNodeAtLocation(tree, path.slice(0, depth));
  const inner = path.slice(depth + 1).reduceRight((each: unknown, key) => ({ [key]: each }), value);
  return holder === undefined ? text : added(text, holder, String(path[depth]), inner);
}

/** Removes a property, with a comment on its last line. */
export function withoutProperty(text: string, path: Change["path"]): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const property = tree && findNodeAtLocation(tree, [...path])?.parent;
  const all = property?.parent?.children ?? [];
  if (property === undefined) {
    return text;
  }
  const index = all.indexOf(property);
  const [previous, next] = [all[index - 1], all[index + 1]];
  const end = endOf(property);
  const { comma, contentEnd, lineEnd, breakBeforeComma } = restOf(text, end);
  if (comma !== undefined && breakBeforeComma !== undefined) {
    // Comments above a comma that begins a line may be about the next property.
    const above = text.slice(breakBeforeComma, comma - 1);
    return text.slice(0, property.offset).trimEnd() + above + text.slice(comma).replace(/^[ \t]+/, "");
  }
  const isAlone = lineEnd !== undefined && isOnOwnLine(text, property);
  if (next !== undefined && !isAlone) {
    const head = text.slice(0, property.offset);
    return lineEnd === undefined
      ? head + text.slice(comma ?? end).replace(/^[ \t]+/, "")
      : head.trimEnd() + text.slice(contentEnd);
  }
  const start = isAlone ? text.lastIndexOf("\n", property.offset - 1) + 1 : property.offset;
  let [before, after] = [text.slice(0, start), text.slice(isAlone ? lineEnd : (comma ?? end))];
  if (previous !== undefined && next === undefined && comma === undefined) {
    // The property before it is the last now, and needs no comma.
    const at = restOf(text, endOf(previous)).comma ?? endOf(previous) + 1;
    before = before.slice(0, at - 1) + before.slice(at);
  }
  if (all.length === 1 && /\{\s*$/.test(before) && /^\s*\}/.test(after)) {
    [before, after] = [before.trimEnd(), after.trimStart()];
  } else if (!isAlone && next === undefined) {
    // The line above may end with a comment.
    before = before.replace(/[ \t]+$/, "");
  }
  return before + after;
}

function added(text: string, holder: Node, key: string, value: unknown): string {
  const name = `${JSON.stringify(key)}: `;
  const last = holder.children?.at(-1);
  if (last === undefined) {
    const close = endOf(holder) - 1;
    const outer = indentAt(text, holder.offset);
    const indent = outer + unitOf(text);
    const eol = eolOf(text);
    const made = `${name}${written(text, value, indent)}`;
    return isOneLine(text)
      ? text.slice(0, close) + made + text.slice(close)
      : `${text.slice(0, close).trimEnd()}${eol}${indent}${made}${eol}${outer}${text.slice(close)}`;
  }
  const end = endOf(last);
  const rest = restOf(text, end);
  const comma = rest.comma === undefined ? "" : ",";
  if (!isOnOwnLine(text, last)) {
    const at = rest.comma ?? end;
    const made = ` ${JSON.stringify(key)}: ${JSON.stringify(value)}${comma}`;
    return `${text.slice(0, at)}${comma === "" ? "," : ""}${made}${text.slice(at)}`;
  }
  const indent = indentAt(text, last.offset);
  const made = `${eolOf(text)}${indent}${name}${written(text, value, indent)}${comma}`;
  const at = rest.contentEnd;
  return `${text.slice(0, end)}${comma === "" ? "," : ""}${text.slice(end, at)}${made}${text.slice(at)}`;
}

interface Rest {
  /** The place after the comma that follows. */
  readonly comma: number | undefined;
  /** The place after the comma and the comments on the same line. */
  readonly contentEnd: number;
  /** The place after the line break, if nothing else follows on the line. */
  readonly lineEnd: number | undefined;
  /** The place after the property and its comments, if the comma is on a later line. */
  readonly breakBeforeComma: number | undefined;
}

/** Finds the comma and the comments after a property. */
function restOf(text: string, end: number): Rest {
  const scanner = createScanner(text, false);
  scanner.setPosition(end);
  let contentEnd = end;
  let comma: number | undefined;
  let lineEnd: number | undefined;
  let breakBeforeComma: number | undefined;
  for (;;) {
    const kind: number = scanner.scan();
    const after = scanner.getTokenOffset() + scanner.getTokenLength();
    const isOnLine = lineEnd === undefined;
    if (kind === kinds.comma && comma === undefined) {
      comma = after;
      breakBeforeComma = isOnLine ? undefined : contentEnd;
      contentEnd = after;
      lineEnd = undefined;
    } else if (kind === kinds.lineBreak) {
      lineEnd ??= after;
    } else if (kind === kinds.lineComment || kind === kinds.blockComment) {
      contentEnd = isOnLine ? after : contentEnd;
    } else if (kind !== kinds.trivia) {
      return { comma, contentEnd, lineEnd, breakBeforeComma };
    }
  }
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function isOnOwnLine(text: string, { offset }: Node): boolean {
  return (
    text.lastIndexOf("\n", offset - 1) !== -1 &&
    /^[ \t]*$/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset))
  );
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /^(\t| +)["}]/m.exec(text)?.[1] ?? "  ";
}

function isOneLine(text: string): boolean {
  const content = text.trim();
  return content !== "{}" && content.startsWith("{") && !content.includes("\n");
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** A value as JSON, in a line if the whole file is one. */
function written(text: string, value: unknown, indent: string): string {
  return isOneLine(text)
    ? JSON.stringify(value)
    : JSON.stringify(value, undefined, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

function isFlat(value: unknown): boolean {
  return Array.isArray(value) ? value.every((each) => typeof each !== "object") : typeof value !== "object";
}

function short(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
    : JSON.stringify(value);
}
