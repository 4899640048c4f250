import { readFileSync } from "node:fs";

/**
 * The text of a region of a source file: the lines between `// #region name` and `// #endregion name`, without their common indentation. With no
 * name: the whole file.
 */
export function readRegion(file: string, name: string | undefined): string {
  const text = readFileSync(file, "utf8");
  const [first, end] = regionLines(file, text, name);
  return dedent(text.split("\n").slice(first, end));
}

/** The lines of a region, from 0: its first one, and the one after its last. */
export function regionLines(
  file: string,
  text: string,
  name: string | undefined,
): readonly [first: number, end: number] {
  const lines = text.split("\n");
  if (name === undefined) {
    return [0, lines.length];
  }
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
