/** A part of a line. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly url: string; readonly text: string };

/** A block of lines. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly content: readonly Block[] }
  | {
      readonly kind: "list";
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

/** The maximum depth of quotes, lists and emphasis. The source of deeper ones is shown. */
const maxDepth = 6;
/** The maximum size of a table. Further columns and rows are not read. */
const maxColumns = 40;
const maxRows = 1000;
/** The maximum length of emphasized text and of code in a line, in characters. */
const maxSpan = 1000;

/** Signs of Markdown that rarely occur in other text. */
const signs =
  /^#{1,6} \S|^(?:```|~~~)|^\s*[-*+] \S[^\n]*\n\s*[-*+] \S|^\s*1[.)] \S[^\n]*\n\s*2[.)] \S|^\|[^\n]+\|\s*\n\|[ :|-]+\|\s*$|\*\*[^\s*][^\n*]*\*\*|\[[^\]\n]{1,200}\]\(https?:\/\/|(?:^|[\s(])`[^`\n]+`(?:$|[\s.,;:)])|^> \S/m;

/** Whether a string contains signs of Markdown that are rare elsewhere. */
export function looksLikeMarkdown(text: string): boolean {
  return signs.test(text.slice(0, 4000));
}

/**
 * Reads the Markdown that tools write: headings, paragraphs, lists, quotes, code, tables, emphasis
 * and links to `http:` and `https:`. Everything else, HTML and pictures among it, stays text.
 * The time is proportional to the length of any text. Libraries for all of Markdown take seconds
 * for 20,000 hostile characters.
 */
export function parseMarkdown(text: string): readonly Block[] {
  return blocksOf(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

function wordsOf(parts: readonly Inline[]): string {
  return parts.map((part) => ("content" in part ? wordsOf(part.content) : part.text)).join("");
}

/** The first paragraph of a text, with the signs of Markdown removed, for use in one line. */
export function plainLine(text: string): string {
  if (!looksLikeMarkdown(text)) {
    return text;
  }
  const first = parseMarkdown(text.slice(0, 1000)).find((block) => "content" in block);
  return first?.kind === "paragraph" || first?.kind === "heading" ? wordsOf(first.content) : text;
}

const heading = /^ {0,3}(#{1,6}) +/;
const fence = /^ {0,3}(```+|~~~+)([^`\n]*)$/;
const rule = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,9})(?:([-*+])|(\d{1,9})[.)])( +|$)/;

/**
 * Whether a line divides the head of a table from its rows. A single regular expression would take
 * quadratic time.
 */
function isDivider(line: string): boolean {
  const row = line.trim();
  const cells = row.slice(row.startsWith("|") ? 1 : 0, row.endsWith("|") ? -1 : undefined).split("|");
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) {
      blocks.push({ kind: "paragraph", content: inlinesOf(paragraph.join("\n"), 0) });
      paragraph = [];
    }
  };
  let at = 0;
  /** The lines from `at` on, as long as they belong to a block. */
  const take = (belongs: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && belongs(lines[at] ?? "")) {
      at++;
    }
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const titled = heading.exec(line);
    const fenced = fence.exec(line);
    if (line.trim() === "") {
      flush();
      at++;
    } else if (titled !== null) {
      flush();
      blocks.push({
        kind: "heading",
        level: titled[1]?.length ?? 1,
        content: inlinesOf(line.slice(titled[0].length).trim().replace(/ #+$/, ""), 0),
      });
      at++;
    } else if (fenced !== null) {
      flush();
      at++;
      const mark = fenced[1] ?? "```";
      const isEnd = (next: string): boolean => {
        const trimmed = next.trim();
        return trimmed.length >= mark.length && trimmed === mark.charAt(0).repeat(trimmed.length);
      };
      const code = take((next) => !isEnd(next));
      at++;
      blocks.push({ kind: "code", language: fenced[2]?.trim() ?? "", text: code.join("\n") });
    } else if (rule.test(line)) {
      flush();
      blocks.push({ kind: "rule" });
      at++;
    } else if (depth < maxDepth && quote.test(line)) {
      flush();
      const quoted = take((next) => quote.test(next)).map((next) => next.replace(quote, ""));
      blocks.push({ kind: "quote", content: blocksOf(quoted, depth + 1) });
    } else if (depth < maxDepth && startsList(line, paragraph.length > 0)) {
      flush();
      blocks.push(listOf(take, depth));
    } else if (line.includes("|") && isDivider(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("|")) {
      flush();
      const [head = "", , ...rows] = take((next) => next.includes("|"));
      blocks.push({ kind: "table", head: cellsOf(head), rows: rows.slice(0, maxRows).map(cellsOf) });
    } else {
      paragraph.push(line.trim());
      at++;
    }
  }
  flush();
  return blocks;
}

/** A number other than 1 in the middle of a paragraph begins a line, not a list. */
function startsList(line: string, isInParagraph: boolean): boolean {
  const found = item.exec(line);
  return found !== null && (!isInParagraph || found[3] === undefined || found[3] === "1");
}

function listOf(take: (belongs: (line: string) => boolean) => string[], depth: number): Block {
  let indent = -1;
  let isOrdered = false;
  let start = 1;
  let isBlank = false;
  const items: string[][] = [];
  let width = 0;
  take((line) => {
    const found = item.exec(line);
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    if (line.trim() === "") {
      isBlank = true;
      items.at(-1)?.push("");
      return true;
    }
    if (found !== null && (indent < 0 || spaces < indent + 2) && (indent < 0 || spaces >= indent - 1)) {
      const ordered = found[3] !== undefined;
      if (indent >= 0 && ordered !== isOrdered) {
        return false;
      }
      indent = indent < 0 ? spaces : indent;
      start = items.length === 0 ? Number(found[3] ?? 1) : start;
      isOrdered = ordered;
      width = found[0].length;
      items.push([line.slice(width)]);
    } else if (spaces > indent || !isBlank) {
      items.at(-1)?.push(line.slice(Math.min(spaces, Math.max(width, indent + 2))));
    } else {
      return false;
    }
    isBlank = false;
    return true;
  });
  return { kind: "list", isOrdered, start, items: items.map((lines) => blocksOf(lines, depth + 1)) };
}

function cellsOf(line: string): readonly (readonly Inline[])[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner
    .split("|")
    .slice(0, maxColumns)
    .map((cell) => inlinesOf(cell.trim(), 0));
}

const opener = /[`*_[!\\h<]/g;

/** The parts of a line. */
function inlinesOf(text: string, depth: number): readonly Inline[] {
  const parts: Inline[] = [];
  let plain = "";
  const put = (part: Inline): void => {
    if (plain !== "") {
      parts.push({ kind: "text", text: plain });
      plain = "";
    }
    parts.push(part);
  };
  let at = 0;
  while (at < text.length) {
    opener.lastIndex = at;
    const next = opener.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) {
      break;
    }
    const span = spanAt(text, at, depth);
    if (span === undefined) {
      plain += text.charAt(at);
      at++;
    } else {
      if (typeof span.part === "string") {
        plain += span.part;
      } else {
        put(span.part);
      }
      at = span.end;
    }
  }
  if (plain !== "") {
    parts.push({ kind: "text", text: plain });
  }
  return parts;
}

interface Span {
  readonly part: Inline | string;
  readonly end: number;
}

const link = /\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)/y;
const address = /https?:\/\/[^\s<>"'`)\]}]{1,2000}/y;
const bracketed = /<(https?:\/\/[^\s<>]{1,2000})>/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The part that begins with a sign, if it has an end. */
function spanAt(text: string, at: number, depth: number): Span | undefined {
  const sign = text.charAt(at);
  switch (sign) {
    case "\\": {
      const next = text.charAt(at + 1);
      return /[!-/:-@[-`{-~]/.test(next) ? { part: next, end: at + 2 } : undefined;
    }
    case "`": {
      const ticks = /`+/y;
      const mark = matchAt(ticks, text, at)?.[0] ?? "`";
      const from = at + mark.length;
      const length = text.slice(from, from + maxSpan).indexOf(mark);
      const end = from + length + mark.length;
      return length < 0
        ? { part: mark, end: from }
        : { part: { kind: "code", text: text.slice(from, from + length).trim() }, end };
    }
    case "!": {
      // A picture is a link to it: nothing is loaded before the person asks.
      const found = matchAt(link, text, at + 1);
      return found === null
        ? undefined
        : {
            part: { kind: "link", text: found[1] ?? "", url: found[2] ?? "" },
            end: at + 1 + found[0].length,
          };
    }
    case "[": {
      const found = matchAt(link, text, at);
      return found === null
        ? undefined
        : { part: { kind: "link", text: found[1] ?? "", url: found[2] ?? "" }, end: at + found[0].length };
    }
    case "<": {
      const found = matchAt(bracketed, text, at);
      const url = found?.[1] ?? "";
      return found === null
        ? undefined
        : { part: { kind: "link", text: url, url }, end: at + found[0].length };
    }
    case "h": {
      const found = matchAt(address, text, at);
      const url = found?.[0].replace(/[.,;:!?*_]+$/, "") ?? "";
      return found === null ? undefined : { part: { kind: "link", text: url, url }, end: at + url.length };
    }
    default:
      return emphasisAt(text, at, sign, depth);
  }
}

const letter = /[\p{L}\p{N}]/u;

function emphasisAt(text: string, at: number, sign: string, depth: number): Span | undefined {
  const mark = text.charAt(at + 1) === sign ? sign + sign : sign;
  const from = at + mark.length;
  const before = text.charAt(at - 1);
  if (depth >= maxDepth || /^\s?$/.test(text.charAt(from)) || (sign === "_" && letter.test(before))) {
    return { part: mark, end: from };
  }
  const near = text.slice(from, from + maxSpan);
  for (let length = near.indexOf(mark); length > 0; length = near.indexOf(mark, length + mark.length)) {
    const end = from + length;
    const after = text.charAt(end + mark.length);
    const closes =
      !/\s/.test(text.charAt(end - 1)) &&
      (mark.length === 2 || (after !== sign && text.charAt(end - 1) !== sign)) &&
      (sign !== "_" || !letter.test(after));
    if (closes) {
      const content = inlinesOf(text.slice(from, end), depth + 1);
      return {
        part: { kind: mark.length === 2 ? "strong" : "emphasis", content },
        end: end + mark.length,
      };
    }
  }
  return { part: mark, end: from };
}
