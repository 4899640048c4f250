import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import type { CommandSpec } from "../src/command/spec.ts";
import { interruptSignal } from "../src/signals.ts";
import { groups } from "../src/table.ts";
import { fixture, program, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

interface Found {
  readonly path: readonly string[];
  readonly spec: CommandSpec;
}

function commandsOf(specs: readonly CommandSpec[], above: readonly string[] = []): readonly Found[] {
  return specs.flatMap((spec) => {
    const path = [...above, spec.name];
    return spec.commands === undefined ? [{ path, spec }] : commandsOf(spec.commands, path);
  });
}

const all = commandsOf(groups.flatMap(({ commands }) => commands));
const needy = all
  .filter(({ spec }) => spec.operands?.[0]?.isOptional === false || isNeeded(spec))
  .map(({ path }) => path.join(" "));

function isNeeded({ operands = [] }: CommandSpec): boolean {
  const [first] = operands;
  return first !== undefined && first.isOptional !== true && first.isRest !== true;
}

test.each(needy)("%s without its operand is exit code 2, and one JSON value with --json", async (path) => {
  const { code, stdout, stderr } = await tenon([...path.split(" "), "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "usage", message: expect.any(String) } });
  expect(stderr).toBe("");
  const asText = await tenon(path.split(" "));
  expect(asText).toMatchObject({ code: 2, stdout: "" });
  expect(asText.stderr).toMatch(/^error: /);
});

test.each(all.map(({ path }) => path.join(" ")))("%s refuses options that it does not have", async (path) => {
  const { code, stdout } = await tenon([...path.split(" "), "--no-such-option", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: "usage", message: expect.stringContaining("--no-such-option") },
  });
});

const printing = [
  ["list", [notes]],
  ["explore", [notes]],
  ["tools", [notes]],
  ["resources", [notes]],
  ["templates", [notes]],
  ["prompts", [notes]],
  ["ping", [notes]],
  ["call", [notes, "echo", "a=1"]],
  ["read", [notes, "notes://one"]],
  ["prompt", [notes, "summary", "name=one"]],
  ["complete", [notes, "summary", "name=o"]],
  ["record", [notes, "--out", "other.jsonl"]],
  ["replay", ["tape.jsonl", notes]],
  ["trace view", ["tape.jsonl"]],
  ["trace export", ["tape.jsonl"]],
  ["lock", [notes]],
  ["diff", [notes, notes]],
  ["typegen", [notes]],
  ["generate cli", program("loud.mjs")],
  ["doctor", [notes]],
  ["fuzz", [notes, "--runs", "1"]],
  ["bench", [notes, "--calls", "2"]],
  ["config list", []],
  ["connections", []],
  ["completion", ["bash"]],
  ["auth status", []],
  ["version", []],
] as const;

/** Commands that need more than `notes`, or do not end. Other files test them. */
const elsewhere: ReadonlySet<string> = new Set([
  "auth explain",
  "config add",
  "config import",
  "conformance",
  "connect",
  "daemon",
  "dev",
  "disconnect",
  "eval",
  "inspect",
  "login",
  "logout",
  "mock",
  "serve",
  "ship card",
  "ship image",
  "ship install",
  "ship pack",
  "ship publish",
  "skills",
  "tap",
  "task answer",
  "task cancel",
  "task get",
  "task list",
  "task result",
  "watch",
]);

test("every command is tried with --json, here or elsewhere", () => {
  const tried = new Set<string>([...printing.map(([path]) => path), ...elsewhere]);
  const untried = all.map(({ path }) => path.join(" ")).filter((path) => !tried.has(path));
  expect(untried, "add to `printing`, or to `elsewhere` with a test of its own").toEqual([]);
});

test.each(printing)("%s prints exactly one JSON value with --json, and nothing else", async (path, argv) => {
  const cwd = temporaryFolder();
  expect((await tenon(["record", notes, "--out", "tape.jsonl"], { cwd })).code).toBe(0);
  const env = { XDG_RUNTIME_DIR: cwd };
  const { code, stdout } = await tenon([...path.split(" "), "--json", ...argv], { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(expect.anything());
  const wrapped = await tenon([...path.split(" "), "--json", "--envelope", ...argv], { cwd, env });
  expect(JSON.parse(wrapped.stdout)).toMatchObject({ ms: expect.any(Number), result: expect.anything() });
});

test("--stdio and --http, and --json and --jsonl, exclude each other", async () => {
  const both = await tenon(["serve", notes, "--stdio", "--http"]);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("--stdio and --http") });
  const modes = await tenon(["watch", notes, "--json", "--jsonl"]);
  expect(modes.code).toBe(2);
  expect(JSON.parse(modes.stdout)).toMatchObject({ error: { kind: "usage" } });
});

test("nothing is written to standard error by a command that succeeds without a terminal", async () => {
  for (const argv of [
    ["tools", notes],
    ["call", notes, "echo"],
    ["ping", notes],
  ]) {
    expect(await tenon(argv)).toMatchObject({ code: 0, stderr: "" });
  }
});

test("the first interruption aborts, and the second one ends the process with exit code 130", () => {
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const signal = interruptSignal({
    on: (name, listener) => listeners.set(name, listener),
    exit(code) {
      exits.push(code);
      return undefined as never;
    },
  });
  listeners.get("SIGINT")?.();
  expect([signal.aborted, exits]).toEqual([true, []]);
  listeners.get("SIGTERM")?.();
  expect(exits).toEqual([130]);
});

test("doctor --all checks every configured server, and takes no target", async () => {
  const cwd = temporaryFolder();
  const [, command = "", ...args] = program("loud.mjs");
  writeFileSync(
    join(cwd, ".mcp.json"),
    JSON.stringify({ mcpServers: { loud: { command, args }, gone: { command: "no-such-program" } } }),
  );
  const { code, stdout } = await tenon(["doctor", "--all", "--json", "--timeout", "20s"], { cwd });
  expect(code).toBe(1);
  const { targets } = JSON.parse(stdout) as { targets: { target: string; findings: { status: string }[] }[] };
  expect(targets.map(({ target }) => target)).toEqual(["this machine", "loud", "gone"]);
  const failed = targets.map(({ findings }) => findings.some(({ status }) => status === "failed"));
  expect(failed).toEqual([false, false, true]);
  expect((await tenon(["doctor", notes, "--all"], { cwd })).code).toBe(2);
});
