import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { statusOf } from "../filter.ts";

const signs: Readonly<Record<string, string>> = {
  ok: "✓ ok",
  error: "✕ error",
  failed: "✕ failed",
  input: "? input",
  login: "? login",
  open: "… open",
  cancelled: "– cancelled",
  lost: "✕ no response",
};

interface StatusProps {
  readonly line: Summary;
  /** The line that ended the line, if it is a request that has ended. */
  readonly answer: Summary | undefined;
}

/** The outcome of a line, in a sign, a word and a color. */
export function Status({ line, answer }: StatusProps): VNode | null {
  const status = statusOf(line, answer);
  const sign = signs[status];
  return sign === undefined ? null : <span class={`status ${status}`}>{sign}</span>;
}
