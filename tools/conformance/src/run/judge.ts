import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { notSupported } from "./baseline.ts";
import { leastChecks, requiredCounts } from "./expected.ts";

/** The outcome of one leg. */
export interface Verdict {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  /** Checks that succeeded. */
  readonly checks: number;
  /** The same by scenario. */
  readonly checksOf: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
  /** The scenarios that the problems are about. */
  readonly failing: readonly string[];
  /** What a reader has to know although nothing failed. */
  readonly notes: readonly string[];
}

/** What a leg is judged by. */
export interface Leg {
  readonly leg: "server" | "client";
  readonly revision: string;
  /** Scenarios whose run failed as such. */
  readonly failed?: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/**
 * Reads the results of a leg. Warnings count as failures, and so does a scenario that checked less
 * than it should have.
 */
export async function judge(
  name: string,
  folder: string,
  { leg, revision, failed = [] }: Leg,
): Promise<Verdict> {
  const problems: string[] = failed.map((scenario) => `${scenario}: the run failed`);
  const failing = new Set(failed);
  let passed = 0;
  let total = 0;
  const checksOf = new Map<string, number>();
  for (const entry of await resultsIn(folder)) {
    const scenario = /^(?:server-)?(.*?)-\d{4}-\d{2}-\d{2}T.*$/.exec(
      leg === "server" ? entry : `server-${entry}`,
    )?.[1];
    if (scenario === undefined) {
      continue;
    }
    const results = await checksIn(join(folder, entry));
    if (results === undefined) {
      total++;
      failing.add(scenario);
      problems.push(`${scenario}: the run left no results`);
      continue;
    }
    const bad = results.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    const good = results.filter(({ status }) => status === "SUCCESS").length;
    if (notSupported[leg].includes(scenario)) {
      if (bad.length === 0 && good > 1) {
        problems.push(`${scenario} passes now: take it off the list of what is not supported`);
      }
      continue;
    }
    total++;
    checksOf.set(scenario, (checksOf.get(scenario) ?? 0) + good);
    const least = leastChecks(leg, scenario, revision);
    if (bad.length === 0 && good >= least) {
      passed++;
    } else {
      failing.add(scenario);
    }
    problems.push(
      ...bad.map(({ id, status, errorMessage = "" }) => `${scenario}: ${status} ${id} ${errorMessage}`),
    );
    if (good < least) {
      problems.push(`${scenario}: ${good} checks succeeded, of at least ${least}`);
    }
  }
  const required = requiredCounts[name] ?? 1;
  if (total < required) {
    problems.push(`only ${total} scenarios were run, of at least ${required}`);
  }
  const checks = [...checksOf.values()].reduce((sum, good) => sum + good, 0);
  return { name, passed, total, checks, checksOf, problems, failing: [...failing], notes: [] };
}

/** The checks of a scenario. The suite leaves none if it skips the scenario or fails itself. */
async function checksIn(folder: string): Promise<readonly Check[] | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "checks.json"), "utf8")) as readonly Check[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/**
 * The folders of results: the suite puts those of a scenario with a slash in its name into a folder
 * of its own.
 */
async function resultsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder);
  const nested = entries.includes("auth") ? await readdir(join(folder, "auth")) : [];
  return [...entries.filter((entry) => entry !== "auth"), ...nested.map((entry) => `auth/${entry}`)];
}
