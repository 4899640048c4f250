import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { compiledProgram } from "@tenon/test-support/processes";
import { expect, onTestFinished, test } from "vitest";

const program = await compiledProgram(new URL("fixtures/pausing.ts", import.meta.url), ["libsql"]);

interface Running {
  readonly child: ChildProcess;
  readonly lines: () => string[];
}

function run(path: string, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [program, path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  return { child, lines: () => text.trim().split("\n") };
}

test("row 6: a worker that was paused past its lease writes nothing, and its signal aborts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paused-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "stores.db");
  const first = run(path, "first");
  // "charged", "running" and the ID: the task may run before its ID is printed.
  await expect.poll(() => first.lines().length).toBe(3);
  first.child.kill("SIGSTOP");
  const id = first.lines().find((line) => line.startsWith("t_")) ?? "";
  const second = run(path, "second", id);
  await once(second.child, "close");
  expect(second.lines()).toEqual([JSON.stringify({ result: "first, then second" })]);
  first.child.kill("SIGCONT");
  await expect.poll(first.lines).toContain("refused LEASE_LOST");
  expect(first.lines().toSorted()).toEqual(
    [id, "aborted LEASE_LOST", "charged", "refused LEASE_LOST", "running"].toSorted(),
  );
  const third = run(path, "third", id);
  await once(third.child, "close");
  expect(third.lines()).toEqual(second.lines());
});
