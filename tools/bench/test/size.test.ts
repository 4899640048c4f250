import { expect, test } from "vitest";

import { isKept } from "../src/report.ts";
import { size } from "../src/suites/size/suite.ts";

test("every program and entry of the packed packages bundles for every platform, and keeps its budget of bytes", async () => {
  const isOurs = (name: string): boolean => !name.startsWith("peer:");
  const report = await size.run({ rounds: 1, windowMs: undefined, wants: isOurs, log: () => {} });
  expect(report.notes).toEqual([]);
  expect(report.budgets.length).toBeGreaterThan(20);
  expect(
    report.budgets.filter((budget) => !isKept(budget)),
    "save bytes, or raise the budget in tools/bench/src/suites/size/entries.ts and say why",
  ).toEqual([]);
});
