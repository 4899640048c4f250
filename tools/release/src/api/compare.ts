import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { publishedPackages, root } from "../packages.ts";
import { apiReport } from "./report.ts";

/** Where the reports are that were accepted. */
export const accepted: string = join(root, "tools/release/api");

/** The reports of all packages that have entries, by the name of the file. */
export function apiReports(): ReadonlyMap<string, string> {
  return new Map(
    publishedPackages().flatMap((each): readonly (readonly [string, string])[] => {
      const report = apiReport(each);
      return report.trim() === "" ? [] : [[`${basename(each.folder)}.txt`, report]];
    }),
  );
}

/** Accepts the interfaces as they are. */
export function acceptReports(reports: ReadonlyMap<string, string>, folder: string = accepted): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, report] of reports) {
    writeFileSync(join(folder, file), report);
  }
}

/** How an interface differs from the one that was accepted. */
export interface ApiChange {
  readonly file: string;
  /** Lines that are no more, or are different now: code that uses them may break. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** How the interfaces differ from those in a folder. */
export function apiChanges(
  reports: ReadonlyMap<string, string>,
  folder: string = accepted,
): readonly ApiChange[] {
  const before = existsSync(folder) ? readdirSync(folder) : [];
  const files = [...new Set([...before, ...reports.keys()])].toSorted();
  return files.flatMap((file) => {
    const old = before.includes(file) ? readFileSync(join(folder, file), "utf8") : "";
    const change = compareReports(file, old, reports.get(file) ?? "");
    return change.removed.length + change.added.length > 0 ? [change] : [];
  });
}

/**
 * Compares two reports line by line, each line with what it is in: a member belongs to its
 * declaration, so a member that moves to another one counts as a change of both.
 */
export function compareReports(file: string, before: string, after: string): ApiChange {
  const old = linesOf(before);
  const now = linesOf(after);
  return { file, removed: missing(old, now), added: missing(now, old) };
}

function linesOf(report: string): readonly string[] {
  const path: string[] = [];
  return report.split("\n").flatMap((line) => {
    if (line.trim() === "") {
      return [];
    }
    const depth = Math.floor((line.length - line.trimStart().length) / 4);
    if (line.startsWith("//")) {
      path.splice(0, path.length, line.slice(3));
      return [];
    }
    path.splice(depth + 1);
    const full = [...path, line.trim()].join(" › ");
    path.push(line.trim().replace(/[{(]$/, "").trim());
    return /^[\])}>;,]+$/.test(line.trim()) ? [] : [full];
  });
}

function missing(from: readonly string[], lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return from.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

const maxShown = 12;

/** What a developer reads who changed an interface; `undefined` without a change. */
export function changeMessage(changes: readonly ApiChange[]): string | undefined {
  if (changes.length === 0) {
    return undefined;
  }
  const isBreaking = changes.some(({ removed }) => removed.length > 0);
  const lines = changes.flatMap(({ file, removed, added }) => [
    `${file}: ${removed.length} lines gone or changed, ${added.length} new`,
    ...removed.slice(0, maxShown).map((line) => `  - ${line}`),
    ...added.slice(0, maxShown).map((line) => `  + ${line}`),
  ]);
  return [
    isBreaking
      ? "The public interface changed, and programs that use it may break:"
      : "The public interface grew:",
    ...lines,
    "If that is meant, run `pnpm --filter @tenon/release run api`, commit tools/release/api, and add a changeset (`pnpm changeset`):",
    "`minor` before 1.0 and `major` after it if a line is gone or changed and what uses it has to change; otherwise `minor` after 1.0.",
  ].join("\n");
}
