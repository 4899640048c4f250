import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isSurelyLinear } from "../src/regex/ambiguity.ts";
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

test("the linear matcher agrees with RegExp on 3 000 generated patterns and texts", () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.constantFrom("a", "b", "1", ".", "é", "😀", "\n", " "), { maxLength: 8 }),
      (source, text) => {
        const value = text.join("");
        const syntax = parsePattern(source);
        const matcher = syntax === undefined ? undefined : linearMatcher(syntax);
        expect(matcher).toBeDefined();
        expect(matcher?.(value), `/${source}/u on ${JSON.stringify(value)}`).toBe(
          new RegExp(source, "u").test(value),
        );
      },
    ),
    { numRuns: 3_000 },
  );
});

test("look-around and back-references are left to others", () => {
  for (const source of ["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>"]) {
    expect(parsePattern(source)).toBeUndefined();
  }
});

function verdict(source: string): boolean | undefined {
  const syntax = parsePattern(source);
  return syntax === undefined ? undefined : isSurelyLinear(syntax);
}

test("only patterns that cannot backtrack far count as surely linear", () => {
  const linear = ["^[a-z][a-z0-9-]*$", "^\\d+\\.\\d+\\.\\d+$", "abc", "^a{3}$", "^(a|b)c$", "^x?y$"];
  const doubtful = ["^(a+)+$", "a+$", "^a*a*$", "^(a|a)*$", "^(?:[a-z]+\\s?)*$", "^\\d+\\d+$"];
  for (const source of linear) expect([source, verdict(source)]).toEqual([source, true]);
  for (const source of doubtful) expect([source, verdict(source)]).toEqual([source, false]);
});
