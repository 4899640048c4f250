import type { Rendering } from "./edit/editor.ts";

/** A line of a difference between two entries. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  /** The line without its end, and without secrets. */
  readonly text: string;
}

/** Characters of a line that are shown. */
const maxShown = 300;
/** Lines that are shown. An entry of a hostile file could have any number. */
const maxLines = 500;

/** Returns the lines in which two entries differ, within the lines that contain them. */
export function diffOf(before: Rendering | undefined, after: Rendering | undefined): readonly DiffLine[] {
  const { head = [], tail = [] } = after ?? before ?? {};
  const [old, next] = [before?.body ?? [], after?.body ?? []];
  const isSame = (at: number, of: number): boolean => old.at(at) === next.at(of);
  const most = Math.min(old.length, next.length);
  let start = 0;
  while (start < most && isSame(start, start)) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && isSame(-1 - end, -1 - end)) {
    end += 1;
  }
  const shown = (kind: DiffLine["kind"], lines: readonly string[]): readonly DiffLine[] =>
    lines.map((line) => ({ kind, text: line.length > maxShown ? `${line.slice(0, maxShown)}…` : line }));
  const lines = [
    ...shown("same", [...head, ...old.slice(0, start)]),
    ...shown("removed", old.slice(start, old.length - end)),
    ...shown("added", next.slice(start, next.length - end)),
    ...shown("same", [...old.slice(old.length - end), ...tail]),
  ];
  return lines.length > maxLines ? [...lines.slice(0, maxLines), { kind: "same", text: "…" }] : lines;
}
