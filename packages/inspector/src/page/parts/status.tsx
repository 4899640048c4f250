import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { statusOf } from "../filter.ts";
import { answers } from "../store.ts";

const signs: Readonly<Record<string, string>> = {
  ok: "✓ ok",
  error: "✕ error",
  failed: "✕ failed",
  input: "? input",
  open: "… open",
};

/** The outcome of a line, in a sign, a word and a color. */
export function Status({ line }: { line: Summary }): VNode | null {
  const status = statusOf(line, answers.get(line.seq));
  const sign = signs[status];
  return sign === undefined ? null : <span class={`status ${status}`}>{sign}</span>;
}
