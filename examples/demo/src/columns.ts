import { stripVTControlCharacters } from "node:util";

/** Two lists of lines next to each other, each line cut to half of the width. */
export function sideBySide(left: readonly string[], right: readonly string[], width: number): string {
  const column = Math.floor((width - 3) / 2);
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const first = fold(left[index] ?? "", column);
    return `${first.padEnd(column)} │ ${fold(right[index] ?? "", column)}`.trimEnd();
  });
  return `${rows.join("\n")}\n`;
}

/** Cuts a line. Control characters of a server never reach the terminal. */
function fold(line: string, length: number): string {
  const plain = stripVTControlCharacters(line).replaceAll(/\p{Cc}/gu, " ");
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain;
}
