/** One line of a difference. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The most lines that are compared exactly. */
const most = 1500;

/** Compares two files by their lines, at most 1500 of each. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const one = before.split("\n").slice(0, most);
  const other = after.split("\n").slice(0, most);
  let start = 0;
  while (start < one.length && one[start] === other[start]) {
    start++;
  }
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) {
    end++;
  }
  const same = (text: string): DiffLine => ({ sign: " ", text });
  return [
    ...one.slice(0, start).map(same),
    ...middle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end).map(same),
  ];
}

/** The longest common subsequence, by a table. */
function middle(one: readonly string[], other: readonly string[]): DiffLine[] {
  const width = other.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      table[i * width + j] =
        one[i] === other[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      lines.push({ sign: " ", text: one[i] ?? "" });
      i++;
      j++;
    } else if (
      j >= other.length ||
      (i < one.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))
    ) {
      lines.push({ sign: "-", text: one[i] ?? "" });
      i++;
    } else {
      lines.push({ sign: "+", text: other[j] ?? "" });
      j++;
    }
  }
  return lines;
}
