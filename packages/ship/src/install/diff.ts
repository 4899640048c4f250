import { isRecord } from "@tenon/base";
import { hidden, redactText } from "@tenon/http/redact";

/** A line of a difference between two files. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  /** The line without its end, and without secrets. */
  readonly text: string;
}

/** Lines that are shown around a change. */
const context = 3;
/** Characters of a line that are shown: a minified file is one line. */
const maxShown = 300;

/**
 * Returns the lines that an edit changes, with the lines around them. The edit is assumed to be in
 * one place.
 */
export function diffOf(before: string, after: string, secrets: ReadonlySet<string>): readonly DiffLine[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) {
    start += 1;
  }
  let end = 0;
  while (
    end < Math.min(old.length, next.length) - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) {
    end += 1;
  }
  const shown = (kind: DiffLine["kind"], lines: readonly string[]): readonly DiffLine[] =>
    lines.map((line) => ({ kind, text: shownLine(line, secrets) }));
  return [
    ...shown("same", old.slice(Math.max(0, start - context), start)),
    ...shown("removed", old.slice(start, old.length - end)),
    ...shown("added", next.slice(start, next.length - end)),
    ...shown("same", old.slice(old.length - end, old.length - end + context)),
  ];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function shownLine(line: string, secrets: ReadonlySet<string>): string {
  let text = line;
  for (const secret of secrets) {
    text = text.replaceAll(secret, hidden);
  }
  const safe = redactText(text);
  return safe.length > maxShown ? `${safe.slice(0, maxShown)}…` : safe;
}

const secretKeys = new Set(["env", "environment", "envs", "headers", "http_headers"]);

/**
 * The values of variables and headers anywhere in a configuration, unchanged and escaped as in
 * JSON. References to variables are not secrets.
 */
export function secretsIn(value: unknown, found: Set<string> = new Set(), depth = 0): Set<string> {
  if (depth < 32 && typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (secretKeys.has(key) && isRecord(inner)) {
        for (const each of Object.values(inner)) {
          if (typeof each === "string" && each.length >= 4 && !/^\$?\{?(?:env:)?\$?[A-Z_]+\}?$/.test(each)) {
            found.add(each).add(JSON.stringify(each).slice(1, -1));
          }
        }
      }
      secretsIn(inner, found, depth + 1);
    }
  }
  return found;
}
