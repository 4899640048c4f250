import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { hostNames } from "@tenon/ship/hosts";
import { expect, test } from "vitest";

import { withFullPaths } from "../src/ship/full-paths.ts";
import { fixture, json, program, self, temporaryFolder, tenon } from "./support.ts";

const run = promisify(execFile);
const file = ".cursor/mcp.json";

/** A folder with a package whose program is a server. */
function packageFolder(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "@me/loud", bin: "server.mjs" }));
  writeFileSync(join(cwd, "server.mjs"), readFileSync(fixture("loud.mjs")));
  return cwd;
}

test("ship install adds the package of the folder to a host, and tenon calls it by its name", async () => {
  const cwd = packageFolder();
  const shown = await tenon(["ship", "install", "cursor", "--env", "WORD=blue-whale", "--dry-run"], { cwd });
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain('+     "loud": {');
  expect(shown.stdout).not.toContain("blue-whale");
  expect(existsSync(join(cwd, file))).toBe(false);

  const line = ["ship", "install", "cursor", "--env", "WORD=blue-whale", "--yes"];
  expect(await json(line, { cwd })).toMatchObject({ change: "added", written: true, name: "loud" });
  expect(await json(line, { cwd })).toMatchObject({ change: "unchanged" });
  // The folder is the home directory too, so that the file is of the project and of the user.
  expect(await json(["config", "list"], { cwd })).toMatchObject({
    servers: [{ name: "loud", owner: "Cursor" }],
    errors: [],
  });
  const call = await tenon(["call", "loud", "echo", "name=WORD", "--config", file], { cwd });
  expect(call).toMatchObject({ code: 0, stdout: "blue-whale\n" });

  const removal = await tenon(["ship", "install", "cursor", "--remove", "--yes"], { cwd });
  expect(removal).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(readFileSync(join(cwd, file), "utf8"))).toEqual({ mcpServers: {} });
});

test("ship install --project warns about the backup that contains a removed value", async () => {
  const cwd = packageFolder();
  const line = ["ship", "install", "cursor", "--project", "--yes", "--env"];
  await tenon([...line, "WORD=blue-whale"], { cwd });
  const { code, stderr } = await tenon([...line, "WORD"], { cwd });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, `${file}.bak`), "utf8")).toContain("blue-whale");
  expect(stderr).toContain(`${file}.bak is in the project`);
});

test("the help and the completion of ship install list all hosts", async () => {
  const { stdout } = await tenon(["help", "ship", "install"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(hostNames.join(", "));
  expect((await tenon(["ship", "install"])).stderr).toContain(hostNames.join(", "));
  const words = await tenon(["completion", "words", "ship install"]);
  expect(words.stdout.trim().split("\n")).toEqual(hostNames);
});

test("words of a program that name files become absolute paths, and other words stay", () => {
  const cwd = packageFolder();
  mkdirSync(join(cwd, "notes"));
  const words = [
    "./server.mjs",
    "server.mjs",
    "",
    "-m",
    "notes",
    "./notes",
    ".",
    "no/file",
    "x".repeat(5000),
  ];
  expect(withFullPaths(["server.mjs", ...words], cwd)).toEqual([
    "server.mjs",
    join(cwd, "server.mjs"),
    join(cwd, "server.mjs"),
    "",
    "-m",
    "notes",
    join(cwd, "notes"),
    cwd,
    "no/file",
    "x".repeat(5000),
  ]);
});

test("ship install writes relative paths of a program as absolute paths, and URLs as they are", async () => {
  const cwd = packageFolder();
  const own = [
    "ship",
    "install",
    "vscode",
    "--name",
    "own",
    "--project",
    "--yes",
    "--",
    "node",
    "server.mjs",
  ];
  expect(await tenon(own, { cwd })).toMatchObject({ code: 0 });
  const url = ["--name", "far", "--project", "--yes", "--header", "X-Team: blue", "https://example.com/mcp"];
  expect(await tenon(["ship", "install", "vscode", ...url], { cwd })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the values of X-Team. Do not commit secrets."),
  });
  expect(JSON.parse(readFileSync(join(cwd, ".vscode/mcp.json"), "utf8"))).toEqual({
    servers: {
      own: { type: "stdio", command: "node", args: [join(cwd, "server.mjs")] },
      far: { type: "http", url: "https://example.com/mcp", headers: { "X-Team": "blue" } },
    },
  });
});

test("ship install --from-npm writes the published package, and the hint of a build names it", async () => {
  const cwd = temporaryFolder();
  const write = (facts: object): void =>
    writeFileSync(
      join(cwd, "package.json"),
      JSON.stringify({ name: "@me/loud", version: "1.0.0", bin: { loud: "server.mjs" }, ...facts }),
    );
  write({ private: true });
  const line = ["ship", "install", "cursor", "--yes"];
  expect((await tenon(line, { cwd })).stderr).toMatch(/try: build the package first\n$/);
  write({});
  const missing = await tenon(line, { cwd });
  expect(missing.stderr).toContain("try: build the package first, or --from-npm if npm has it");
  writeFileSync(join(cwd, "server.mjs"), readFileSync(fixture("loud.mjs")));
  const hint = "This entry starts the build in this folder. --from-npm starts the published package.\n";
  const own = await tenon([...line, "--dry-run"], { cwd });
  expect([own.stdout, own.stderr]).toEqual([expect.stringContaining("server.mjs"), hint]);
  expect((await tenon(line, { cwd })).stderr).toBe(hint);
  expect(await tenon([...line, "--from-npm", "--env", "LOUD_KEY"], { cwd })).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(JSON.parse(readFileSync(join(cwd, file), "utf8"))).toEqual({
    mcpServers: {
      loud: { command: "npx", args: ["-y", "@me/loud"], env: { LOUD_KEY: "${env:LOUD_KEY}" } },
    },
  });
  const both = await tenon([...line, "--from-npm", "--", "node", "server.mjs"], { cwd });
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("takes no program, file or URL")]);
  write({ private: true });
  const hidden = await tenon([...line, "--from-npm"], { cwd });
  expect([hidden.code, hidden.stderr]).toEqual([2, expect.stringContaining("@me/loud: it is private")]);
  expect((await tenon(line, { cwd })).stderr).not.toContain("--from-npm");
  write({ bin: { one: "server.mjs", two: "server.mjs" } });
  expect((await tenon([...line, "--from-npm"], { cwd })).stderr).toContain("several programs");
});

test("the installed program edits JSON with comments, TOML and YAML", async () => {
  const cwd = packageFolder();
  const [node, bin] = self;
  mkdirSync(join(cwd, ".vscode"));
  writeFileSync(join(cwd, ".vscode/mcp.json"), "{ // mine\n}\n");
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: join(cwd, "config") };
  for (const words of [["vscode", "--project"], ["codex"], ["continue"]]) {
    await run(node, [bin, "ship", "install", ...words, "--yes"], { cwd, env });
  }
  const edited = readFileSync(join(cwd, ".vscode/mcp.json"), "utf8");
  expect([edited.includes("server.mjs"), edited.includes("// mine")]).toEqual([true, true]);
  expect(readFileSync(join(cwd, ".codex/config.toml"), "utf8")).toContain("server.mjs");
  expect(readFileSync(join(cwd, ".continue/config.yaml"), "utf8")).toContain("server.mjs");
});

test("without a terminal and --yes nothing is written", async () => {
  const cwd = packageFolder();
  const { code, stderr } = await tenon(["ship", "install", "cursor"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('"loud"');
  expect(stderr).toContain("--yes");
  expect(existsSync(join(cwd, ".cursor"))).toBe(false);
});

test.each([
  [["emacs"], "There is no host"],
  [["cursor", "https://example.com/mcp"], "--name <name>"],
  [["cursor", "--name", "a b"], "not a name"],
  [["cursor", "--env", "A-B=1"], "name of a variable"],
  [["cursor", "--header", "a: b"], "--env <name=value>"],
  [["zed", "--env", "KEY"], "--env KEY=value"],
  [["goose", "--project"], "no configuration file of a project"],
  [["cursor", "missing.mjs"], "does not exist"],
  [["claude-desktop", "--name", "far", "https://example.com/mcp"], "contains programs only"],
  [["cursor", "--file", "broken.json"], "not valid"],
])("ship install %j is refused as wrong usage", async (words, message) => {
  const cwd = packageFolder();
  writeFileSync(join(cwd, "broken.json"), "{ broken");
  const { code, stdout, stderr } = await tenon(["ship", "install", ...words, "--yes"], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("ship install names what a folder without a program needs", async () => {
  const cwd = temporaryFolder();
  expect((await tenon(["ship", "install", "cursor", "--yes"], { cwd })).stderr).toContain("no package.json");
  writeFileSync(join(cwd, "package.json"), '{ "name": "a" }');
  expect((await tenon(["ship", "install", "cursor", "--yes"], { cwd })).stderr).toContain("has no bin");
  mkdirSync(join(cwd, "x"));
  expect(
    (await tenon(["ship", "install", "cursor", "--yes", ...program("loud.mjs")], { cwd })).stderr,
  ).toContain("--name");
});
