import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import type { CommandSpec } from "../src/command/spec.ts";
import { createStyle } from "../src/output/color.ts";
import { printable } from "../src/output/escape.ts";
import { groups } from "../src/table.ts";
import { obeyed } from "./obeyed.ts";
import { program, temporaryFolder, tenon } from "./support.ts";

const server = program("hostile.mjs");
/** Command lines of everything that prints texts of a server. */
const lines: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--all", "--schema"],
  ["list", "--search", "x"],
  ["tools"],
  ["resources"],
  ["templates"],
  ["prompts"],
  ["ping"],
  ["doctor"],
  ["call", "t"],
  ["call", "fail"],
  ["call", "error"],
  ["call", "nothing"],
  ["call"],
  ["read", "x:1"],
  ["prompt", "p"],
  ["typegen"],
  ["typegen", "--out", "types.ts"],
  ["generate", "cli", "--out", "cli.mjs"],
  ["lock", "--out", "a.lock.json"],
  ["record", "--out", "a.jsonl", "--call", "t", "--call", "fail", "--call", "error", "--read", "x:1"],
  ["bench", "--tool", "t", "--calls", "2"],
  ["fuzz"],
  ["complete", "p", "a", "b"],
  ["explore"],
  ["skills"],
  ["skills", "x:1"],
  ["task", "list"],
  ["task", "get", "t"],
  ["task", "result", "t"],
  ["task", "cancel", "t"],
  ["task", "answer", "t", "--input", "{}"],
  ["watch", "--count", "2"],
  ["watch", "x:1", "--count", "1"],
  ["conformance"],
];

/** Commands that have tests of their own for this, or print no text of a server. */
const elsewhere: ReadonlySet<string> = new Set([
  // On a recording or a lock file, below.
  "replay",
  "diff",
  // The messages of the server are their output, and their reader is a program.
  "serve",
  "mock",
  "tap",
  "inspect",
  // hostile-login.test.ts
  "login",
  "logout",
  "auth status",
  "auth explain",
  // A card is printed as JSON, with escapes.
  "ship card",
  // Print what the user wrote.
  "config add",
  "connect",
  // The model is not the server.
  "eval",
]);

const leaves = (commands: readonly CommandSpec[], above = ""): readonly string[] =>
  commands.flatMap(({ name, connects, load, commands: below = [] }) => [
    ...(connects === true && load !== undefined ? [`${above}${name}`] : []),
    ...leaves(below, `${above}${name} `),
  ]);

test("every command that connects to a server is among the lines, or is named with a reason", () => {
  const known = [...lines.map((line) => line.join(" ")), ...elsewhere];
  const unknown = leaves(groups.flatMap(({ commands }) => commands)).filter(
    (name) => !known.some((line) => line === name || line.startsWith(`${name} `)),
  );
  expect(unknown).toEqual([]);
});

test.each(lines.flatMap((line) => [[line], [[...line, "--verbose"]], [[...line, "--color", "always"]]]))(
  "no text of a hostile server reaches the terminal as it is: %j",
  async (line) => {
    const cwd = temporaryFolder();
    const { stdout, stderr } = await tenon([...line, ...server], { cwd, isTTY: false });
    const printed = stdout + stderr;
    expect(printed).not.toBe("");
    expect(obeyed.exec(printed)).toBeNull();
    if (!/^(?:call|read|prompt|list|explore|task result)\b/.test(line.join(" "))) {
      // Only the content of a result, and descriptions in full, have lines of their own.
      expect(printed.split("\n").map((each) => each.trim())).not.toContain("forged line");
    }
  },
);

test("no text of a hostile server in a recording or a lock file reaches the terminal as it is", async () => {
  const cwd = temporaryFolder();
  await tenon(["record", "--out", "a.jsonl", "--call", "t", "--call", "error", ...server], { cwd });
  await tenon(["lock", ...server], { cwd });
  for (const line of [
    ["trace", "view", "a.jsonl"],
    ["trace", "export", "a.jsonl"],
    ["trace", "export", "a.jsonl", "--format", "html"],
    ["list", "a.jsonl"],
    ["replay", "a.jsonl", "--all", ...server],
    ["lock", "--check", ...server],
    ["diff", "a.jsonl", ...program("notes.mjs")],
    ["typegen", "tenon.lock.json"],
  ]) {
    const { stdout, stderr } = await tenon(line, { cwd });
    expect(obeyed.exec(stdout + stderr), line.join(" ")).toBeNull();
  }
});

test("names in a configuration are escaped, too", async () => {
  const cwd = temporaryFolder();
  const name = "x\u001b[2J\u202e";
  writeFileSync(
    join(cwd, ".mcp.json"),
    JSON.stringify({ mcpServers: { [name]: { command: "a\u001b[2J", args: ["\u0007"] } } }),
  );
  for (const line of [["config", "list"], ["list", "unknown"], ["list", name], ["doctor"]]) {
    const { stdout, stderr } = await tenon(line, { cwd });
    expect(obeyed.exec(stdout + stderr), line.join(" ")).toBeNull();
  }
});

test("only the styles of this program become styles of the terminal", () => {
  const style = createStyle(true);
  expect(printable(style.bold("a\u001b[8mb"))).toBe("\u001b[1ma\\x1b[8mb\u001b[22m");
  expect(printable(createStyle(false).bold("a"))).toBe("a");
});
