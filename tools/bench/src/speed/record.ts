import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Environment } from "../report.ts";
import { find, type Measurement } from "../runner.ts";
import { rows, type Row } from "./rows.ts";

const file = fileURLToPath(new URL("../../speed.json", import.meta.url));

/** A row as it was measured. `null` where there is nothing to compare with. */
interface MeasuredRow extends Pick<Row, "what" | "suite" | "unit"> {
  readonly tenon: number;
  readonly official: number | null;
  readonly raw: number | null;
  /** The number of Tenon that stands in brackets. */
  readonly later: number | null;
  /** When and where. */
  readonly date: string;
  readonly node: string;
  readonly cores: number;
}

/**
 * Writes the rows of a suite into `speed.json`, which README's table is made from. Rows of other
 * suites stay.
 *
 * @throws `Error` if the run lacks a number of a row: it is then not the run of all candidates.
 */
export function recordSpeed(
  suite: string,
  measurements: readonly Measurement[],
  { date, node, cores }: Environment,
): void {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly MeasuredRow[]) : [];
  const measured = rows.flatMap((row): MeasuredRow[] => {
    if (row.suite !== suite) {
      return before.filter(({ what }) => what === row.what);
    }
    const number = (cell: Row["tenon"] | undefined, metric = row.metric): number | null =>
      cell === undefined ? null : numberOf(measurements, cell, metric);
    return [
      {
        what: row.what,
        suite,
        unit: row.unit,
        tenon: numberOf(measurements, row.tenon, row.metric),
        official: number(row.official),
        raw: number(row.raw),
        later: row.later === undefined ? null : number(row.tenon, row.later),
        date,
        node,
        cores,
      },
    ];
  });
  writeFileSync(file, `${JSON.stringify(measured, undefined, 2)}\n`);
}

function numberOf(
  measurements: readonly Measurement[],
  [candidate, work]: Row["tenon"],
  metric: string,
): number {
  const median = find(measurements, { candidate, work, metric })?.median;
  if (median === undefined || !Number.isFinite(median)) {
    throw new Error(`The run has no ${metric} of "${candidate}" for "${work}": README's table needs it.`);
  }
  return Number(median.toPrecision(6));
}
