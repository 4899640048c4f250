import { readFileSync } from "node:fs";

/** Lines of a file, from 0: the first one, and the one after the last. */
export type Lines = readonly [first: number, end: number];

/**
 * The text of a region of a source file: the lines between `// #region name` and
 * `// #endregion name`, without their common indentation. `a+b` is region `a`, an empty line and
 * region `b`. With no name: the whole file.
 */
export function readRegion(file: string, name: string | undefined): string {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  return regionLines(file, text, name)
    .map(([first, end]) => dedent(lines.slice(first, end)))
    .join("\n\n");
}

/** Where the text of {@link readRegion} stands. */
export function regionLines(file: string, text: string, name: string | undefined): readonly Lines[] {
  const lines = text.split("\n");
  return name === undefined ? [[0, lines.length]] : name.split("+").map((each) => linesOf(file, lines, each));
}

function linesOf(file: string, lines: readonly string[], name: string): Lines {
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const end = lines.findIndex((line) => line.trim() === `// #endregion ${name}`);
  if (start < 0 || end < start) {
    throw new Error(
      `${file} has no region ${name}: expected "// #region ${name}" and "// #endregion ${name}".`,
    );
  }
  return [start + 1, end];
}

function dedent(lines: readonly string[]): string {
  const kept = lines.filter((line) => !/^\s*\/\/ #(end)?region /.test(line));
  const indents = kept
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents);
  return kept
    .map((line) => line.slice(common))
    .join("\n")
    .trim();
}
