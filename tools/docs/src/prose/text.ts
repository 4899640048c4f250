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
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.ES2023, true);
  const lines = code.split("\n");
  const found: Prose[] = [];
  const seen = new Set<number>();
  const add = (start: number, text: string, isMessage: boolean): void => {
    const { line: first, character } = file.getLineAndCharacterOfPosition(start);
    const isAlone = !isMessage && lines[first]?.slice(0, character).trim() === "";
    for (const [index, line] of text.split("\n").entries()) {
      const comment = isAlone ? (lines[first + index] ?? "") : "";
      found.push(prose(first + index + 1, line, isMessage, comment));
    }
  };
  const comments = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (!seen.has(pos)) {
        seen.add(pos);
        add(pos, withoutExamples(code.slice(pos, end).replace(/\*\/$/, "")), false);
      }
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
    const children = node.getChildren(file);
    if (children.length === 0) {
      comments(ts.getLeadingCommentRanges(code, node.getFullStart()));
      comments(ts.getTrailingCommentRanges(code, node.getEnd()));
    }
    children.filter((child) => !ts.isJSDoc(child)).forEach(visit);
  };
  visit(file);
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
