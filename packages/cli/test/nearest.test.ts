import { expect, test } from "vitest";

import { nearest } from "../src/command/nearest.ts";

test.each([
  ["prot", ["port", "path"], "port"],
  ["flie", ["file", "line"], "file"],
  ["limmit", ["limit"], "limit"],
  ["opne", ["once", "open"], "open"],
  ["abc", ["xyz"], undefined],
])("%s is taken for one of %j: %s", (word, names, expected) => {
  expect(nearest(word, names)).toBe(expected);
});
