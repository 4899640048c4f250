import { expect, test } from "vitest";

import { budget, crowded } from "../budget.mjs";

test("a run that costs a tenth more than planned fails, and a slower machine may take longer", () => {
  const planned = budget(0, 0).text;
  const limit = Number(/of (\d+) allowed/.exec(planned)?.[1]);
  expect(limit).toBeGreaterThan(0);
  expect(budget(limit - 1, 0).ok).toBe(true);
  expect(budget(limit + 1, 0)).toMatchObject({ ok: false, text: expect.stringContaining("budget.json") });
  expect(budget(limit + 1, 1000).ok).toBe(true);
});

test("processor time is judged unless others shared the machine", () => {
  expect(crowded(5, 2)).toBeUndefined();
  expect(crowded(8, 2)).toBeUndefined();
  expect(crowded(17, 2)).toContain("17 processes shared the 2 cores");
});
