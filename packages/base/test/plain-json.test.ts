import { isPlainJson } from "@tenon/base/plain-json";
import fc from "fast-check";
import { expect, test } from "vitest";

/** Whether a value contains what JSON changes, although programs rarely notice it. */
function hasOddity(value: unknown): boolean {
  let found = false;
  const text = JSON.stringify(value, (_, member: unknown) => {
    found ||= Object.is(member, -0);
    return member;
  });
  return found || text.includes("__proto__");
}

test("a value that is plain JSON survives JSON unchanged", () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withMap: true, withNullPrototype: true }), (value) => {
      fc.pre(isPlainJson(value, 32) && !hasOddity(value));
      const clean: unknown = structuredClone(value);
      expect(JSON.parse(JSON.stringify(value))).toEqual(clean);
    }),
  );
});

test("all that JSON can contain is plain JSON", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => isPlainJson(value, 32)));
});

test.each([
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["an object of a class", new (class Point {})()],
  ["an object with toJSON", { toJSON: () => 1 }],
  ["NaN", Number.NaN],
  ["a bigint", 1n],
  ["undefined in an array", [undefined]],
])("%s is not plain JSON", (_, value) => {
  expect(isPlainJson(value, 32)).toBe(false);
  expect(isPlainJson({ value: [value] }, 32)).toBe(false);
});

test("objects and arrays may be as deep as the limit", () => {
  expect(isPlainJson([{ a: [] }], 3)).toBe(true);
  expect(isPlainJson([{ a: [] }], 2)).toBe(false);
});
