import { expect, test } from "vitest";

import { recallAt5, savedTokens } from "../src/suites/search/suite.ts";

test("a search finds the tool of nine questions out of ten, for a seventh of the tokens", () => {
  const { recall, missed } = recallAt5();
  expect(recall, missed.join("\n")).toBeGreaterThanOrEqual(0.9);
  expect(savedTokens()).toBeGreaterThanOrEqual(0.85);
});
