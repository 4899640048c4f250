import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

test("the example connects to three servers from one file, lists their tools and calls one of each", async () => {
  const program = join(import.meta.dirname, "../dist/client.js");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stderr).toBe("");
  expect(stdout).toContain("connected to files, memory, thinking");
  for (const name of [
    "mcp__files__read_text_file",
    "mcp__memory__create_entities",
    "mcp__thinking__sequentialthinking",
  ]) {
    expect(stdout).toContain(`${name}: `);
  }
  expect(stdout).toMatch(/mcp__files__list_allowed_directories →[^]*examples/);
  expect(stdout).toMatch(/mcp__memory__read_graph →[^]*entities/);
  expect(stdout).toMatch(/mcp__thinking__sequentialthinking →[^]*thoughtNumber/);
});
