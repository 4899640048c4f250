import ts from "typescript-6";

/** A line of prose. */
export interface Prose {
  readonly line: number;
  /**
   * The text without the marker of a comment or list. What is written in code font is replaced by a
   * dot.
   */
  readonly text: string;
  /** The line as a reader meets it, code included. */
  readonly whole: string;
  /** The line of the file, if it contains only a comment; otherwise empty. */
  readonly comment: string;
  /** Whether the text is a string of the program, such as the message of an error. */
  readonly isMessage: boolean;
}

/** The lines of prose of a page: neither code nor comments. */
export function proseOfMarkdown(markdown: string): readonly Prose[] {
  let fence = "";
  let hidden = false;
  const found: Prose[] = [];
  for (const [index, line] of markdown.split("\n").entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? "";
    if (fence !== "" || mark !== "") {
      fence = fence === "" ? mark : mark.startsWith(fence) ? "" : fence;
      continue;
    }
    hidden ||= line.startsWith("<!--");
    if (!hidden) {
      found.push(prose(index + 1, line, false, ""));
    }
    hidden &&= !line.includes("-->");
  }
  return found;
}

/** The lines of prose of a program: its comments, and its strings of three words or more. */
export function proseOfProgram(name: string, code: string): readonly Prose[] {
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.ES2023);
  const lines = code.split("\n");
  const found: Prose[] = [];
  /** Where `//` and `/*` begin no comment. */
  const opaque: [start: number, end: number][] = [];
  const add = (start: number, text: string, isMessage: boolean): void => {
    const { line: first, character } = file.getLineAndCharacterOfPosition(start);
    const isAlone = !isMessage && lines[first]?.slice(0, character).trim() === "";
    for (const [index, line] of text.split("\n").entries()) {
      const comment = isAlone ? (lines[first + index] ?? "") : "";
      found.push(prose(first + index + 1, line, isMessage, comment));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("")
        : node.text;
      if (text.trim().split(/\s+/).length >= 3) {
        add(node.getStart(file), text, true);
      }
    }
    if (ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node)) {
      opaque.push([node.getStart(file), node.end]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const [start, end] of commentsOf(code, opaque)) {
    add(start, withoutExamples(code.slice(start, end).replace(/\*\/$/, "")), false);
  }
  return found.toSorted((a, b) => a.line - b.line);
}

/** Where comments begin and end. */
function commentsOf(
  code: string,
  opaque: readonly (readonly [start: number, end: number])[],
): readonly (readonly [start: number, end: number])[] {
  const found: [number, number][] = [];
  const openings = /\/[/*]/g;
  let next = 0;
  for (let opening = openings.exec(code); opening !== null; opening = openings.exec(code)) {
    const start = opening.index;
    while ((opaque[next]?.[1] ?? Infinity) <= start) {
      next++;
    }
    const [from = Infinity, to = Infinity] = opaque[next] ?? [];
    if (from <= start) {
      openings.lastIndex = to;
      continue;
    }
    const close = opening[0] === "//" ? code.indexOf("\n", start) : code.indexOf("*/", start + 2);
    const end = close < 0 ? code.length : opening[0] === "//" ? close : close + 2;
    found.push([start, end]);
    openings.lastIndex = end;
  }
  return found;
}

/** The code after `@example` replaced by empty lines. */
function withoutExamples(comment: string): string {
  return comment
    .replace(/```[\s\S]*?```/g, withoutText)
    .replace(/@example[\s\S]*?(?=\n\s*\*\s*@|$)/g, withoutText);
}

function withoutText(code: string): string {
  return code.replace(/[^\n]+/g, "");
}

function prose(line: number, raw: string, isMessage: boolean, comment: string): Prose {
  const whole = raw.replace(/^\s*(\/\*\*?|\*|\/\/)?\s*/, "").replace(/^([-*>|]|#+|\d+\.)\s+/, "");
  return {
    line,
    whole: whole.trimEnd(),
    text: whole.replace(/`[^`]*`/g, "`·`"),
    comment: whole === "" ? "" : comment,
    isMessage,
  };
}
