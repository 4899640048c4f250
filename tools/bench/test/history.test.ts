import { expect, test } from "vitest";

import { columns } from "../src/history/columns.ts";
import { lastNumbersOf, numbersOf, readHistory } from "../src/history/history.ts";
import { suites } from "../src/suites.ts";
import { entries } from "../src/suites/size/entries.ts";

const withColumns = [...new Set(columns.map(({ suite }) => suite))];

test("every release has well-formed numbers of known suites", () => {
  const releases = Object.entries(readHistory());
  expect(releases.length).toBeGreaterThan(0);
  for (const [version, line] of releases) {
    expect(version).toMatch(/^\d+\.\d+\.\d+/u);
    for (const [suite, numbers] of Object.entries(line)) {
      expect(suites.has(suite), suite).toBe(true);
      for (const [name, number] of Object.entries(numbers)) {
        expect(Number.isFinite(number) && number >= 0, `${version}, ${suite}, ${name}: ${number}`).toBe(true);
      }
    }
  }
});

test.each(withColumns)("the newest line of %s has exactly its columns, each above zero", (suite) => {
  const line = lastNumbersOf(suite);
  const names = columns.filter((column) => column.suite === suite).map(({ name }) => name);
  expect(Object.keys(line).toSorted()).toEqual(names.toSorted());
  expect(Object.values(line).filter((number) => !(number > 0))).toEqual([]);
});

test("the newest line of size has every program with a budget, by each bundler", () => {
  const line = lastNumbersOf("size");
  const names = entries.flatMap(({ name, atStart, inAll }) =>
    ["esbuild", "rolldown"].flatMap((bundler) => [
      ...(atStart === undefined ? [] : [`${name}, at start, by ${bundler}`]),
      ...(inAll === undefined ? [] : [`${name}, with what is loaded later, by ${bundler}`]),
    ]),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => line[name] === undefined)).toEqual([]);
});

test("a line is the ratio within each round to what a column compares with, or the number itself", () => {
  const number = (candidate: string, samples: readonly number[]) => ({
    candidate,
    work: "start to first result",
    samples,
    median: samples[1] ?? Number.NaN,
    min: 1,
  });
  const measurements = ["cpuNs", "ns"].flatMap((metric) => [
    { ...number("tenon", [2, 6, 20]), metric },
    { ...number("bare Node", [1, 2, 10]), metric },
  ]);
  const line = numbersOf("mcp-startup", { budgets: [], measurements });
  expect(Object.values(line)).toEqual([2, 2]);
});

test("a run without all candidates of a column writes no line", () => {
  expect(() => numbersOf("mcp-startup", { budgets: [], measurements: [] })).toThrow(
    "The run of mcp-startup has no number for the column",
  );
});

test("a suite without columns keeps what it holds to limits", () => {
  const budgets = [
    { name: "a program", actual: 12.3456789, limit: 20 },
    { name: "a program that does not bundle", actual: Number.NaN, limit: 20 },
  ];
  expect(numbersOf("size", { budgets, measurements: [] })).toEqual({ "a program": 12.3457 });
});
