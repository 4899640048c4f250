import { matchesPattern } from "@tenon/base";
import fc from "fast-check";
import { expect, test } from "vitest";

const letters = fc.constantFrom("a", "b", "*");
const pattern = fc.array(letters, { maxLength: 8 }).map((parts) => parts.join(""));
const name = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }).map((parts) => parts.join(""));

test("a pattern matches the names that the equal regular expression matches", () => {
  fc.assert(
    fc.property(pattern, name, (given, text) => {
      const expected = new RegExp(`^${given.replaceAll("*", ".*")}$`, "s").test(text);
      expect(matchesPattern(given, text)).toBe(expected);
    }),
  );
});

test("only `*` is special", () => {
  expect(matchesPattern("a.c", "abc")).toBe(false);
  expect(matchesPattern("a?c", "abc")).toBe(false);
  expect(matchesPattern("[a]*", "[a]\nb")).toBe(true);
});
