import { expect, test } from "vitest";

import type { CommandSpec } from "../src/command/spec.ts";
import { groups } from "../src/table.ts";
import { tenon } from "./support.ts";

function pathsOf(commands: readonly CommandSpec[], above = ""): readonly string[] {
  return commands.flatMap((command) => {
    const path = `${above}${command.name}`;
    return [path, ...pathsOf(command.commands ?? [], `${path} `)];
  });
}

const paths = pathsOf(groups.flatMap(({ commands }) => commands));

test("the help text names every command and fits a screen of 24 lines and 80 columns", async () => {
  const { code, stdout, stderr } = await tenon(["--help"]);
  expect(code).toBe(0);
  expect(stderr).toBe("");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  // The daemon is for `tenon connect` alone.
  for (const path of paths.filter((each) => !each.includes(" ") && each !== "daemon")) {
    expect(stdout).toMatch(new RegExp(`\\b${path}\\b`));
  }
  expect((await tenon([])).stdout).toBe(stdout);
  expect((await tenon(["help"])).stdout).toBe(stdout);
});

test.each(paths)("the help text of %s fits a screen", async (path) => {
  const { code, stdout } = await tenon([...path.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`tenon ${path}`);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect((await tenon(["help", ...path.split(" ")])).stdout).toBe(stdout);
});

test("every command that runs has an example, which begins as it is called", () => {
  const specs = (commands: readonly CommandSpec[], above = ""): readonly (readonly [string, CommandSpec])[] =>
    commands.flatMap((command) => {
      const path = `${above}${command.name}`;
      return [[path, command] as const, ...specs(command.commands ?? [], `${path} `)];
    });
  for (const [path, { examples = [], load }] of specs(groups.flatMap(({ commands }) => commands))) {
    expect(load === undefined || examples.some((each) => each.includes(`tenon ${path}`)), path).toBe(true);
  }
});

test("the help text is wrapped and never cut", async () => {
  for (const path of [...paths, "options"]) {
    const { stdout } = await tenon(["help", ...path.split(" ")]);
    expect(stdout).not.toMatch(/…$/m);
  }
  const words = (await tenon(["help", "options"])).stdout.replaceAll(/\s+/g, " ");
  expect(words).toContain("total time limit, such as 500ms, 30s, 5m (default: 1h)");
  expect((await tenon(["help", "lock"])).stdout.replaceAll(/\s+/g, " ")).toContain(
    "fails: breaking, additive or cosmetic",
  );
});

test("help options explains the options that commands share", async () => {
  const { stdout } = await tenon(["help", "options"]);
  expect(stdout).toContain("--header <name: value>");
  expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(36);
});

test("every command has an own module, and no command is loaded for help", async () => {
  for (const command of groups.flatMap(({ commands }) => commands)) {
    for (const each of command.commands ?? [command]) {
      const loaded = await each.load?.();
      expect(typeof loaded?.run, each.name).toBe("function");
    }
  }
});

test("the version is printed alone, or with Node and the protocol as JSON", async () => {
  expect((await tenon(["--version"])).stdout).toBe("1.2.3\n");
  expect(JSON.parse((await tenon(["version", "--json"])).stdout)).toMatchObject({
    tenon: "1.2.3",
    node: process.version,
    protocol: expect.arrayContaining(["2026-07-28"]),
  });
});
