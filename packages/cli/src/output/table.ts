import { cutTo, widthOf, wrap } from "./width.ts";

/** Options of {@link table}. */
export interface TableOptions {
  /** The columns of the terminal. The last column is cut to fit, or wrapped. */
  readonly width: number;
  /** Whether the last column is wrapped in place of being cut. Default: `false`. */
  readonly wraps?: boolean | undefined;
  /** The start of each line. Default: `""`. */
  readonly indent?: string | undefined;
  /** Styles the cells of each column. */
  readonly styles?: readonly ((text: string) => string)[] | undefined;
}

/** The columns below which the last cell gets a line of its own. */
const minLast = 16;

/**
 * Lines with aligned columns. Each cell is one line of plain text. Only the last cell of a line is
 * cut or wrapped, because people copy the names and addresses in the other cells.
 */
export function table(rows: readonly (readonly string[])[], options: TableOptions): readonly string[] {
  const { width, indent = "", styles = [], wraps = false } = options;
  const count = Math.max(0, ...rows.map((row) => row.length));
  const most = Math.floor((width - indent.length) * 0.6);
  const widths = Array.from({ length: count }, (_, column) => {
    const all = rows.map((row) => widthOf(row[column] ?? "")).filter((each) => each <= most);
    return Math.max(0, ...all);
  });
  const styled = (text: string, column: number): string => styles[column]?.(text) ?? text;
  return rows.flatMap((row) => {
    const last = row.length - 1;
    const cells = row
      .slice(0, last)
      .map(
        (cell, column) =>
          styled(cell, column) + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)) + 2),
      );
    const start = `${indent}${cells.join("")}`;
    const text = row[last] ?? "";
    const left = width - widthOf(start);
    const isBeside = left >= Math.min(minLast, widthOf(text));
    const margin = isBeside ? " ".repeat(widthOf(start)) : `${indent}    `;
    const columns = isBeside ? left : width - indent.length - 4;
    const lines = (wraps ? wrap(text, columns) : [cutTo(text, columns)]).map((line) => styled(line, last));
    const [first = "", ...more] = isBeside ? lines : ["", ...lines];
    return [`${start}${first}`, ...more.map((line) => `${margin}${line}`)].map((line) => line.trimEnd());
  });
}
