import { expect, test } from "vitest";

import { comparison } from "../src/suites/jsonrpc2/compare.ts";
import { memoryCallers } from "../src/suites/jsonrpc2/memory.ts";
import { assertResult } from "../src/suites/jsonrpc2/work.ts";

test("every candidate in memory gives the right answers", async () => {
  const callers = await memoryCallers();
  expect(callers.map(({ name }) => name)).toEqual(["raw", "tenon", "tenon, zero-copy", "vscode-jsonrpc"]);
  for (const { call, close } of callers) {
    const results = await Promise.all([1, 2, 3].map(call));
    for (const [index, result] of results.entries()) {
      assertResult(result, index + 1);
    }
    await close();
  }
  expect(() => assertResult({ structuredContent: { sum: 4 } }, 1)).toThrow("Expected the sum 3");
});

test("a comparison reports a table, ratios to raw, and its budgets", async () => {
  const suite = comparison({
    name: "test",
    description: "test",
    callers: memoryCallers,
    sequentialCalls: 10,
    concurrentCalls: 100,
    limits: [{ work: "sequential", metric: "ns", to: "raw", atMost: 1000 }],
  });
  const log: string[] = [];
  const report = await suite.run({
    rounds: 1,
    windowMs: undefined,
    wants: (name) => name === "tenon",
    log: (text) => log.push(text),
  });
  expect(report.tables[0]?.rows.map(([name]) => name)).toEqual(["raw", "tenon"]);
  expect(report.budgets).toEqual([
    expect.objectContaining({ limit: 1000, actual: expect.any(Number) as number }),
  ]);
  expect(Number.isFinite(report.budgets[0]?.actual)).toBe(true);
});
