import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { judge } from "../src/run/judge.ts";
import { tryAgain } from "../src/run/second-try.ts";
import { requiredOf } from "../src/run/selection.ts";
import { openSuite } from "../src/run/suite.ts";

const leg = { leg: "server", revision: "2026-07-28" } as const;
const good = { id: "a", status: "SUCCESS" };
const bad = { id: "b", status: "FAILURE", errorMessage: "No response in 500 ms" };

function leave(folder: string, scenario: string, checks: readonly object[]): void {
  const own = join(folder, `server-${scenario}-2026-11-29T00-00-00-000Z`);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "checks.json"), JSON.stringify(checks));
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-second-try-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "leg");
}

test("a scenario that failed is run once more, and what was tried again is said", async () => {
  const folder = temporaryFolder();
  leave(folder, "ping", [good, good]);
  leave(folder, "tools-list", [good, bad]);
  const first = await judge("some", folder, leg);
  expect(first).toMatchObject({ passed: 1, total: 2, failing: ["tools-list"] });
  const tried: string[] = [];
  const second = await tryAgain(first, folder, leg, (scenario, own) => {
    tried.push(scenario);
    leave(own, scenario, [good, good, { ...bad, status: "SUCCESS" }]);
    return Promise.resolve(true);
  });
  expect(tried).toEqual(["tools-list"]);
  expect(second).toMatchObject({ passed: 2, total: 2, checks: 5, problems: [], failing: [] });
  expect(second.notes).toEqual([
    "passed at the second try. tools-list: FAILURE b No response in 500 ms; tools-list: 1 checks succeeded, of at least 2",
  ]);
});

test("a scenario that fails twice has failed, and so has one whose second run ended early", async () => {
  for (const hasRun of [true, false]) {
    const folder = temporaryFolder();
    leave(folder, "tools-list", [good, bad]);
    const first = await judge("some", folder, leg);
    const second = await tryAgain(first, folder, leg, (scenario, own) => {
      leave(own, scenario, hasRun ? [good, bad] : [good]);
      return Promise.resolve(hasRun);
    });
    expect(second).toEqual(first);
  }
});

test("many failures are not tried again", async () => {
  const folder = temporaryFolder();
  for (const scenario of ["a", "b", "c", "d"]) {
    leave(folder, scenario, [bad]);
  }
  const first = await judge("some", folder, leg);
  const second = await tryAgain(first, folder, leg, () => Promise.reject(new Error("It was run again.")));
  expect(second).toBe(first);
});

test("a scenario that left no results has failed", async () => {
  const folder = temporaryFolder();
  leave(folder, "ping", [good, good]);
  mkdirSync(join(folder, "server-tools-list-2026-11-29T00-00-00-000Z"));
  expect(await judge("some", folder, leg)).toMatchObject({
    passed: 1,
    total: 2,
    problems: ["tools-list: the run left no results"],
    failing: ["tools-list"],
  });
});

test("the suite does not skip a required scenario of an extension at the second try", async () => {
  const folder = temporaryFolder();
  const suite = await openSuite();
  // Nothing listens on this port, so that every check fails at once.
  await suite.server("http://127.0.0.1:9/mcp", requiredOf("2026-07-28").one("tasks-lifecycle"), folder);
  const { total, problems } = await judge("tasks-lifecycle", folder, leg);
  expect(total).toBe(1);
  expect(problems[0]).toContain("tasks-lifecycle: FAILURE tasks-sync-tool-call");
});
