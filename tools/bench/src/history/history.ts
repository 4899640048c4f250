import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { find, ratio, type Measurement } from "../runner.ts";
import type { Report } from "../suite.ts";
import { columns, type Column } from "./columns.ts";

/** The numbers of each release, oldest release first: by version, suite and name of the budget. */
type History = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

const file = fileURLToPath(new URL("../../history.json", import.meta.url));

/** All releases. */
export function readHistory(): History {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as History) : {};
}

/** The numbers of a suite in the newest release that has any. */
export function lastNumbersOf(suite: string): Readonly<Record<string, number>> {
  const releases = Object.values(readHistory());
  return releases.findLast((suites) => suites[suite] !== undefined)?.[suite] ?? {};
}

/**
 * The numbers of a suite that are kept for a release: its {@link columns}, or all that it holds to
 * limits if it has no columns.
 *
 * @throws `Error` if the run lacks the number of a column. Then it was not a run of all candidates.
 */
export function numbersOf(
  suite: string,
  { budgets, measurements }: Pick<Report, "budgets" | "measurements">,
): Readonly<Record<string, number>> {
  const own = columns.filter((column) => column.suite === suite);
  const numbers =
    own.length === 0
      ? budgets.map(({ name, actual }) => [name, actual] as const)
      : own.map((column) => [column.name, numberOf(column, measurements)] as const);
  return Object.fromEntries(
    numbers.flatMap(([name, number]) =>
      Number.isFinite(number) ? [[name, Number(number.toPrecision(6))] as const] : [],
    ),
  );
}

/** Writes numbers of a suite into the line of a release, in place of those that it has. */
export function recordNumbers(
  version: string,
  suite: string,
  numbers: Readonly<Record<string, number>>,
): void {
  const history = readHistory();
  const release = { ...history[version], [suite]: numbers };
  writeFileSync(file, `${JSON.stringify({ ...history, [version]: release }, undefined, 2)}\n`);
}

function numberOf(
  { suite, name, work, metric, of, to }: Column,
  measurements: readonly Measurement[],
): number {
  const own = find(measurements, { candidate: of, work, metric });
  const other = to === undefined ? undefined : find(measurements, { candidate: to, work, metric });
  const number = own === undefined ? undefined : to === undefined ? own.median : other && ratio(own, other);
  if (number === undefined || !Number.isFinite(number)) {
    throw new Error(`The run of ${suite} has no number for the column "${name}" of history.json.`);
  }
  return number;
}
