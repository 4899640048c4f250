import { availableParallelism, cpus, loadavg } from "node:os";

import { formatRatio } from "./format.ts";
import type { Budget, Report } from "./suite.ts";
import { renderTable } from "./table.ts";

/** Where and when the numbers were found. */
export interface Environment {
  readonly date: string;
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  /**
   * Mean number of runnable processes over the last minute, at the start: a busy machine gives
   * noisy numbers.
   */
  readonly load: number;
}

/** The machine this runs on. */
export function environment(): Environment {
  return {
    date: new Date().toISOString(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** Whether a number keeps its limit; no number keeps none. */
export const isKept = ({ actual, limit }: Budget): boolean => actual <= limit;

/** The report as text. */
export function renderReport(report: Report, { node, platform, cores, load }: Environment): string {
  const budgets = report.budgets.map(
    (budget) =>
      `${isKept(budget) ? "kept  " : "MISSED"}  ${budget.name}: ${Number.isInteger(budget.limit) && budget.limit > 100 ? String(budget.actual) : formatRatio(budget.actual)} (at most ${budget.limit})`,
  );
  return [
    ...report.tables.map(renderTable),
    budgets.length > 0 ? ["### budgets", "", ...budgets].join("\n") : "",
    report.notes.length > 0 ? ["### notes", "", ...report.notes.map((note) => `- ${note}`)].join("\n") : "",
    `Node ${node}, ${platform}, ${cores} cores, load ${load.toFixed(1)} at the start.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
