import { pointerTokens } from "./resolve/pointer.ts";
import type { ValidationIssue } from "./validator.ts";

const MAX_NAMES = 50;

// Names and values are the peer's: none of them may begin a line of its own.
// oxlint-disable-next-line no-control-regex
const BREAKS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;

/**
 * One short line per error, written for a model that has to correct its arguments: where, what was expected, what came,
 * and for an unknown property the name it probably meant.
 */
export function explain(errors: readonly ValidationIssue[]): string {
  return errors.map(line).join("\n");
}

function line(issue: ValidationIssue): string {
  const path = pointerTokens(issue.instanceLocation);
  const where = path.length === 0 ? "value" : path.join(".");
  return `${where}: ${issue.message}${hint(issue)}`.replaceAll(BREAKS, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function hint({ keyword, params }: ValidationIssue): string {
  const unknown =
    keyword === "additionalProperties" || keyword === "unevaluatedProperties" || keyword === "enum";
  if (!unknown || !Array.isArray(params.expected) || typeof params.received !== "string") return "";
  const meant = nearest(params.received, params.expected);
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

function nearest(word: string, candidates: readonly unknown[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates.slice(0, MAX_NAMES)) {
    if (typeof candidate !== "string" || Math.abs(candidate.length - word.length) >= least) continue;
    const d = distance(word.toLowerCase(), candidate.toLowerCase());
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
