import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type Span, type Step, delimiters, locate } from "../src/locate.ts";

type Cut = readonly (Span | undefined)[];

const bit: Record<string, number> = delimiters;
const inSet = (character: string, set: number): boolean => ((bit[character] ?? 0) & set) !== 0;

/**
 * Every way to cut the text, in order of preference but for the number of holes present.
 * Exponential, on purpose.
 */
function* cuts(steps: readonly Step[], text: string, index = 0, at = 0): Generator<Cut> {
  const step = steps[index];
  if (step === undefined) {
    if (at === text.length) {
      yield [];
    }
    return;
  }
  if (typeof step === "string") {
    if (text.startsWith(step, at)) {
      for (const rest of cuts(steps, text, index + 1, at + step.length)) {
        yield [undefined, ...rest];
      }
    }
    return;
  }
  const start = step.leads === 0 ? at : at + 1;
  if (step.leads === 0 || inSet(text.charAt(at), step.leads)) {
    let end = start;
    while (end < text.length && !inSet(text.charAt(end), step.excludes)) {
      end++;
    }
    for (; end >= at + 1; end--) {
      for (const rest of cuts(steps, text, index + 1, end)) {
        yield [[start, end], ...rest];
      }
    }
  }
  if (step.leads !== 0) {
    const skipped = Array.from({ length: step.skipTo - index }, () => undefined);
    for (const rest of cuts(steps, text, step.skipTo, at)) {
      yield [...skipped, ...rest];
    }
  }
}

/** How many holes that might be absent are there. */
const present = (steps: readonly Step[], cut: Cut): number =>
  steps.filter((step, index) => typeof step === "object" && step.leads !== 0 && cut[index] !== undefined)
    .length;

const letters = fc.constantFrom("a", "b", "/", ".", "?", "#");
const text = fc.array(letters, { maxLength: 9 }).map((list) => list.join(""));
const steps = fc
  .array(
    fc.oneof(
      fc.array(letters, { minLength: 1, maxLength: 2 }).map((list) => list.join("")),
      fc.record({
        leads: fc.constantFrom(0, 0, 8, 1, 3),
        excludes: fc.integer({ min: 0, max: 15 }),
        skip: fc.integer({ min: 1, max: 2 }),
      }),
    ),
    { maxLength: 5 },
  )
  .map((list) =>
    list.map((step, index): Step =>
      typeof step === "string" ? step : { ...step, skipTo: Math.min(index + step.skip, list.length) },
    ),
  );

test("the cut is the one that an exhaustive search prefers: most holes present, then leftmost longest", () => {
  let found = 0;
  fc.assert(
    fc.property(steps, text, (steps, text) => {
      let best: Cut | undefined;
      for (const cut of cuts(steps, text)) {
        if (best === undefined || present(steps, cut) > present(steps, best)) {
          best = cut;
        }
      }
      const actual = locate(steps, text);
      if (best !== undefined) {
        found++;
      }
      expect(actual && Array.from(steps, (_, index) => actual[index])).toEqual(best && [...best]);
    }),
    { numRuns: samples(20_000) },
  );
  expect(found).toBeGreaterThan(samples(1000));
});

test("the work is one table row per step, whatever the text", () => {
  const hole = { leads: 0, excludes: 0, skipTo: 0 };
  const steps = [hole, "/", hole, "/", hole, "/", hole, "!"];
  for (const length of [10, 1000, 100_000]) {
    for (const text of ["/".repeat(length), `${"/".repeat(length - 1)}!`]) {
      const work = { cells: 0 };
      locate(steps, text, work);
      expect(work.cells).toBe((length + 1) * steps.length);
    }
  }
});
