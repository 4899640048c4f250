import { expect, test } from "vitest";

import { pollDelay } from "../src/lanes/follow-task.ts";

test.each([
  [2500, 2500],
  [0, 100],
  [-1, 100],
  [1e12, 60_000],
  [Infinity, 1000],
  [Number.NaN, 1000],
  ["soon", 1000],
  [{}, 1000],
  [undefined, 1000],
])("a server that wants to be asked every %j ms is asked after %d ms", (wanted, expected) => {
  expect(pollDelay(wanted)).toBe(expected);
});
