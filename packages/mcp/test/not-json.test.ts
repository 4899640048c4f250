import { expect, test } from "vitest";

import { notJson } from "../src/base/not-json.ts";

const shared = { a: 1 };
const looped: Record<string, unknown> = { name: "looped" };
looped["self"] = looped;
const fail = (): never => {
  throw new Error("no");
};

test.each([
  [
    "everything is JSON",
    { a: [1, "b", null, undefined, { c: Number.NaN }], d: new Date(Number.NaN) },
    undefined,
  ],
  ["a bigint", { items: [1, { price: 2n }] }, "items.1.price is a bigint"],
  ["the value itself is a bigint", 1n, "it is a bigint"],
  [
    "a cycle after an object that occurs twice",
    { first: shared, second: { shared, looped } },
    "second.looped.self is an object that contains itself",
  ],
  ["a toJSON makes a bigint", { at: { toJSON: () => [2n] } }, "at.0 is a bigint"],
  ["a toJSON throws", { at: 1, bad: { toJSON: fail } }, undefined],
])("the place of a value that JSON cannot carry is found: %s", (_, value, problem) => {
  expect(notJson(value)).toBe(problem && `${problem}, which JSON has no form for.`);
});
