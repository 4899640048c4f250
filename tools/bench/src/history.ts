import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Budget } from "./suite.ts";

/** The numbers of each release, oldest release first: by version, suite and name of the budget. */
type History = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

const file = fileURLToPath(new URL("../history.json", import.meta.url));

function read(): History {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as History) : {};
}

/** The numbers of a suite in the newest release that has any. */
export function lastNumbersOf(suite: string): Readonly<Record<string, number>> {
  const releases = Object.values(read());
  return releases.findLast((suites) => suites[suite] !== undefined)?.[suite] ?? {};
}

/**
 * Writes the numbers that a suite holds to limits into the line of a release. Numbers of the same
 * suite and release are replaced.
 */
export function recordNumbers(version: string, suite: string, budgets: readonly Budget[]): void {
  const history = read();
  const numbers = budgets.flatMap(({ name, actual }) =>
    Number.isFinite(actual) ? [[name, Number(actual.toPrecision(6))] as const] : [],
  );
  const release = { ...history[version], [suite]: Object.fromEntries(numbers) };
  writeFileSync(file, `${JSON.stringify({ ...history, [version]: release }, undefined, 2)}\n`);
}
