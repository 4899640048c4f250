import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { tryCompile } from "../src/index.ts";
import { nativeSteps } from "../src/regex/ambiguity.ts";
import { linearMatcher } from "../src/regex/automaton.ts";
import { parsePattern } from "../src/regex/syntax.ts";

const atoms = [
  "a",
  "b",
  ".",
  "\\d",
  "\\w",
  "[ab]",
  "[^a]",
  "\\u0061",
  "\\x62",
  "\\p{L}",
  "é",
  "😀",
  "\\b",
  "^",
  "$",
  "\\.",
  "\\n",
];

const pattern: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...atoms),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
      .map(([body, quantifier]) => `(${body})${quantifier}`),
  ),
})).node;

const free = { evaluation: 0, spend: (): void => {} };

test("the linear matcher agrees with RegExp on 3,000 generated patterns and texts", () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.constantFrom("a", "b", "1", ".", "é", "😀", "\n", " "), { maxLength: 8 }),
      (source, text) => {
        const value = text.join("");
        const syntax = parsePattern(source);
        const matcher = syntax === undefined ? undefined : linearMatcher(syntax);
        expect(matcher).toBeDefined();
        expect(matcher?.(value, free), `/${source}/u on ${JSON.stringify(value)}`).toBe(
          new RegExp(source, "u").test(value),
        );
      },
    ),
    { numRuns: samples(3_000) },
  );
});

test("a text costs an evaluation the same, whatever earlier evaluations have matched", () => {
  const syntax = parsePattern("^(\\w+\\s?)*x|(é|.)+$");
  const letters = (from: number, length: number): string =>
    String.fromCodePoint(...Array.from({ length }, (_, i) => from + i));
  const texts = [letters(0x4e00, 90), letters(0x4e50, 90), letters(0x3040, 12_000), letters(0x4e00, 90)];
  const others = [[letters(0x5000, 200)], texts, [letters(0x5000, 100), letters(0x4e00, 50)], []];
  const matcher = syntax && linearMatcher(syntax);
  const costs = others.map((other, index) => {
    const cost = (evaluation: number, given: readonly string[]): number => {
      let sum = 0;
      given.forEach((text) => matcher?.(text, { evaluation, spend: (steps) => void (sum += steps) }));
      return sum;
    };
    cost(2 * index, other);
    return cost(2 * index + 1, texts);
  });
  expect(costs[0]).toBeGreaterThan(12_000);
  expect(costs).toEqual(costs.map(() => costs[0]));
});

test("look-around and back-references are left to others", () => {
  for (const source of ["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>"]) {
    expect(parsePattern(source)).toBeUndefined();
  }
});

function verdict(source: string): boolean | undefined {
  const syntax = parsePattern(source);
  return syntax === undefined ? undefined : nativeSteps(syntax) !== undefined;
}

test("only patterns that cannot backtrack far count as surely linear", () => {
  const linear = [
    "^[a-z][a-z0-9-]*$",
    "^\\d+\\.\\d+\\.\\d+$",
    "abc",
    "^a{3}$",
    "^(a|b)c$",
    "^x?y$",
    "^(?:GET|HEAD|POST|PUT|DELETE)$",
    "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "^#?[0-9a-f]{64}$",
    "^[A-Za-z0-9_.-]{1,128}$",
    "^\\d{4}-\\d{2}-\\d{2}.*$",
    "^(?:https?|ftp)://.*$",
  ];
  const doubtful = [
    "^(a+)+$",
    "a+$",
    "^a*a*$",
    "^(a|a)*$",
    "^(?:[a-z]+\\s?)*$",
    "^\\d+\\d+$",
    // Nothing here varies without end, but there are more ways than anyone can try.
    "(?:[ab]|[ac]){40}d",
    "^(?:[ab]|[ac]){40}d",
    "^(?:a?){40}a{40}$",
    "a?".repeat(40),
    "(?:(?:a{100}){100}){100}",
    // The second repetition begins anew for every character that the first gives back.
    "^.*a*b$",
    "^.*(?:a{1000}){10}b$",
  ];
  for (const source of linear) {
    expect([source, verdict(source)]).toEqual([source, true]);
  }
  for (const source of doubtful) {
    expect([source, verdict(source)]).toEqual([source, false]);
  }
});

test("an untrusted pattern never takes long, in however few characters it is written", () => {
  const sources = [
    "(?:[ab]|[ac]){40}d",
    `${"(?:[ab]|[ac])".repeat(40)}d`,
    `${"a?".repeat(60)}${"a".repeat(60)}b`,
    "(?:(?:a{100}){100}){100}",
    "(?:a{1000}){10}b",
    "^.*a*b$",
    "(?:(?:){99999}){99999}a+b",
  ];
  // Backtracking takes minutes for any of these; what does not end, ends the test.
  const text = "a".repeat(100_000);
  for (const source of sources) {
    const compiled = tryCompile({ type: "string", pattern: source }, { untrusted: true });
    const verdict = compiled.ok ? compiled.validator.is(text) : compiled.error.code;
    expect([source, verdict]).toEqual([source, compiled.ok ? false : "unsupported-pattern"]);
  }
});

test("an untrusted pattern that has one way only may look around", () => {
  const compiled = tryCompile({ pattern: "^(?!b)(?:a)[^b](?=c)" }, { untrusted: true });
  expect(compiled.ok && compiled.validator.is("aac")).toBe(true);
});
