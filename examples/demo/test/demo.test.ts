import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { parseCassette } from "@tenon/testing";
import { expect, test } from "vitest";

import { sideBySide } from "../src/columns.ts";

test("the demo shows one call in both eras and ends without a terminal", async () => {
  const program = join(import.meta.dirname, "../dist/demo.js");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stderr).toBe("");
  expect(stdout).toContain("Without a terminal the response is Oslo.");
  expect(stdout).toMatch(/2025-11-25: coast 1\/3[\s\S]*2026-07-28: hills 3\/3/);
  expect(stdout).toMatch(/→ initialize.*│ → server\/discover/);
  expect(stdout).toContain("← elicitation/create");
  expect(stdout).toContain("input_required");
  expect(stdout).toContain("Process A searched, process A booked Oslo.");
  expect(stdout).toMatch(/│ Process (A searched, process B|B searched, process A) booked Oslo\./);
  const file = /Recording of the messages: (\S+\.jsonl)/.exec(stdout)?.[1] ?? "";
  expect(parseCassette(await readFile(file, "utf8"))).toHaveProperty("entries");
  await rm(file);
});

test("lines are cut to their column, and control characters are replaced", () => {
  expect(sideBySide(["abcdefgh", "x"], ["\u0007\u001B[31mred"], 13)).toBe("abcd… │  red\nx     │\n");
});
