import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../dist/client.js");
const fixture = join(import.meta.dirname, "fixtures/server.mjs");

test("the example connects to three servers from one file, lists their tools and calls one of each", async () => {
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

test("the same example takes servers of both eras side by side, and says which entries it cannot use", async () => {
  const server = (tool: string, revision: string): object => ({
    command: process.execPath,
    args: [fixture, tool, revision],
  });
  const mcpServers = {
    files: server("list_allowed_directories", "2026-07-28"),
    memory: server("read_graph", "2025-11-25"),
    thinking: server("sequentialthinking", "2024-11-05"),
    unset: { command: "a", env: { KEY: "${NOT_SET_ANYWHERE}" } },
  };
  const folder = await mkdtemp(join(tmpdir(), "tenon-host-"));
  try {
    const file = join(folder, "mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers }));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, file]);
    expect(stderr).toBe("unset is not used: ${NOT_SET_ANYWHERE} must have a value.\n");
    expect(stdout).toContain("connected to files, memory, thinking");
    expect(stdout).toMatch(/mcp__files__list_allowed_directories →[^]*2026-07-28/);
    expect(stdout).toMatch(/mcp__memory__read_graph →[^]*2025-11-25/);
    expect(stdout).toMatch(/mcp__thinking__sequentialthinking →[^]*2024-11-05/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
