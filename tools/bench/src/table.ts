/** A table of text; the first column is aligned left, the others right. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table in Markdown, its columns aligned so that it also reads well in a terminal. */
export function renderTable({ title, columns, rows }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, index) => (index === 0 ? (cells[0] ?? "").padEnd(width) : (cells[index] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `|${widths.map((width, index) => (index === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [`### ${title}`, "", line(columns), rule, ...rows.map(line)].join("\n");
}
