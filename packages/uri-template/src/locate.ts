/** The characters that can end or begin a hole, one bit each; sums of them are sets. */
export const delimiters = { "/": 1, "?": 2, "#": 4, ".": 8, ";": 16, "&": 32, ",": 64 } as const;

/** A run of characters to be captured. */
export interface Hole {
  /**
   * Set of the characters of which one begins the hole and is not captured; 0 makes it required and
   * not empty.
   */
  readonly leads: number;
  /** Set of the characters that the hole may not hold. */
  readonly excludes: number;
  /** The step that follows when the hole is absent. */
  readonly skipTo: number;
}

/** A part of a URI: literal text or a hole. */
export type Step = string | Hole;

/** Offsets of a captured text. */
export type Span = readonly [start: number, end: number];

/** Counts the table cells visited, to show that matching is linear. */
export interface WorkCounter {
  cells: number;
}

/**
 * For each offset of the text: 0 when the rest cannot be matched, else 1 + the most optional holes
 * present in it.
 */
type Row = Uint8Array;

interface Rows {
  /** Before the step. */
  readonly best: Row;
  /** Within the hole of the step; for a literal the same as `best`. */
  readonly inside: Row;
}

const bits: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  setOf(String.fromCharCode(code)),
);

/** The subset of these characters that are delimiters. */
export function setOf(characters: string): number {
  let set = 0;
  for (const character of characters) {
    set |= character in delimiters ? delimiters[character as keyof typeof delimiters] : 0;
  }
  return set;
}

/** The delimiter at each offset; 0 for other characters and at the end. */
function classify(text: string): Uint8Array {
  const classes = new Uint8Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    classes[at] = bits[text.charCodeAt(at)] ?? 0;
  }
  return classes;
}

function literalRows(step: string, text: string, next: Row): Rows {
  const best = new Uint8Array(next.length);
  const first = step.charCodeAt(0);
  for (let at = text.length - step.length; at >= 0; at--) {
    const rest = next[at + step.length] ?? 0;
    if (rest > 0 && text.charCodeAt(at) === first && text.startsWith(step, at)) {
      best[at] = rest;
    }
  }
  return { best, inside: best };
}

function holeRows({ leads, excludes }: Hole, classes: Uint8Array, next: Row, absent: Row): Rows {
  const best = new Uint8Array(next.length);
  const inside = new Uint8Array(next.length);
  let after = 0;
  for (let at = next.length - 1; at >= 0; at--) {
    const character = classes[at] ?? 0;
    const end = next[at] ?? 0;
    const longer = (character & excludes) === 0 ? after : 0;
    if (leads === 0) {
      best[at] = longer;
    } else {
      const without = absent[at] ?? 0;
      best[at] = (character & leads) !== 0 && after > 0 && after >= without - 1 ? after + 1 : without;
    }
    after = end > longer ? end : longer;
    inside[at] = after;
  }
  return { best, inside };
}

function readOff(steps: readonly Step[], rows: readonly Rows[], classes: Uint8Array): (Span | undefined)[] {
  const spans: (Span | undefined)[] = [];
  let at = 0;
  for (let index = 0; index < steps.length;) {
    const step = steps[index] ?? "";
    if (typeof step === "string") {
      at += step.length;
      index++;
      continue;
    }
    const { best, inside } = rows[index] ?? { best: classes, inside: classes };
    const goal = inside[at + 1] ?? 0;
    const begins = ((classes[at] ?? 0) & step.leads) !== 0 && goal > 0 && goal + 1 === best[at];
    if (step.leads !== 0 && !begins) {
      index = step.skipTo;
      continue;
    }
    // A required hole has one character at least, an optional one its lead: both end after `at` at
    // the earliest.
    const start = begins ? at + 1 : at;
    at++;
    while (inside[at + 1] === goal && ((classes[at] ?? 0) & step.excludes) === 0) {
      at++;
    }
    spans[index] = [start, at];
    index++;
  }
  return spans;
}

/**
 * Finds where the holes of `steps` lie in `text`, the whole of which has to be used. `undefined`
 * when nowhere.
 *
 * If the text can be split in several ways, the split with the most optional holes present is
 * chosen; among these, each hole, from left to right, is as long as possible. A table, filled from
 * the end, stores for each step and offset whether the rest can be matched and the maximum number
 * of its holes. The split is then read from the start. There is no backtracking: time and memory
 * are proportional to `text.length × steps.length` for every text.
 */
export function locate(
  steps: readonly Step[],
  text: string,
  work?: WorkCounter,
): (Span | undefined)[] | undefined {
  const classes = classify(text);
  const done = new Uint8Array(text.length + 1);
  done[text.length] = 1;
  const rows: Rows[] = [];
  const before = (index: number): Row => rows[index]?.best ?? done;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] ?? "";
    rows[index] =
      typeof step === "string"
        ? literalRows(step, text, before(index + 1))
        : holeRows(step, classes, before(index + 1), before(step.skipTo));
    if (work !== undefined) {
      work.cells += done.length;
    }
  }
  return before(0)[0] === 0 ? undefined : readOff(steps, rows, classes);
}
