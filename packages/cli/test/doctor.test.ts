import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { StdioSpec } from "@tenon/host";
import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { createFindings, type Finding } from "../src/doctor/finding.ts";
import { checkSpec, isDownloaded } from "../src/doctor/static-checks.ts";
import { remedyFor } from "../src/session/last-words.ts";
import type { Shell } from "../src/shell.ts";
import { fixture, program, temporaryFolder, tenon, type RunOptions } from "./support.ts";

/** The findings about the first target, and the exit code. */
async function examine(
  argv: readonly string[],
  options?: RunOptions,
): Promise<{ readonly code: number; readonly findings: readonly Finding[]; readonly stderr: string }> {
  const at = argv.indexOf("--");
  const before = at === -1 ? argv : argv.slice(0, at);
  const ran = await tenon(["doctor", ...before, "--json", ...(at === -1 ? [] : argv.slice(at))], options);
  const { targets } = JSON.parse(ran.stdout) as { targets: { findings: Finding[] }[] };
  return { code: ran.code, findings: targets.flatMap(({ findings }) => findings), stderr: ran.stderr };
}

test("a good server passes, and no tool is called", async () => {
  const { code, findings, stderr } = await examine(["--verbose", ...program("misbehaving.mjs", "good")]);
  expect(findings.filter(({ status }) => status === "failed" || status === "warning")).toEqual([]);
  expect(code).toBe(0);
  expect(stderr).not.toContain("A TOOL WAS CALLED");
  const passed = findings.filter(({ status }) => status === "ok").map(({ check }) => check);
  expect(passed).toEqual(
    expect.arrayContaining(["command", "identity", "lists", "sizes", "standard output", "end", "handshake"]),
  );
});

test.each([
  ["noise", "standard output", "Server started on port 3000", "standard error"],
  ["dies", "start", "WEATHER_API_KEY", "--env WEATHER_API_KEY=value"],
  ["module", "start", "a-package-that-is-not-installed", "npm install a-package-that-is-not-installed"],
  ["lies", "lists", "tools cannot be listed", "declare only capabilities"],
  ["floods", "traffic", "500 notifications", "when something changes"],
  ["twice", "names", "Defined twice among the tools: fine", "its own name"],
  ["schema", "schemas", "The input schema of fine is not valid", "correct the schema"],
  ["array", "schemas", "must be an object schema", "wrap the arguments"],
  ["name", "names", "no spaces please", "rename"],
  ["invisible", "descriptions", "invisible text", "attack"],
  ["unschemed", "schemas", "must be an object schema", "wrap the arguments"],
  ["enum", "schemas", "allows no value at /properties/a: enum is empty", "correct the limits"],
  ["limits", "schemas", "minimum 5 is above maximum 3", "correct the limits"],
  ["prompts", "names", "The prompt p defines arguments twice: x", "its own name"],
])("a server that %s fails the check %s, with a fix", async (how, check, message, fix) => {
  const { code, findings } = await examine(program("misbehaving.mjs", how));
  expect(code).toBe(1);
  expect(findings).toContainEqual({
    check,
    status: "failed",
    message: expect.stringContaining(message),
    fix: expect.stringContaining(fix),
  });
});

test.each([
  ["huge", "sizes", "120 tools"],
  ["undescribed", "descriptions", "The tool bare has no description"],
  ["unknown-dies", "handshake", "ends the server"],
  ["stays", "end", "SIGTERM"],
  ["required", "schemas", 'requires "b", which its properties do not describe'],
  ["default", "schemas", 'does not allow its own default at /properties/a: "1"'],
  ["empty", "schemas", "seems to allow no value at /properties/a"],
  ["pattern", "schemas", "repeats a repetition"],
  ["both", "annotations", "read-only and as destructive"],
  ["unversioned", "identity", "version of the server is empty"],
])("a server that is %s gets a warning from the check %s", async (how, check, message) => {
  const { code, findings } = await examine(program("misbehaving.mjs", how));
  expect(code).toBe(0);
  expect(findings).toContainEqual(
    expect.objectContaining({ check, status: "warning", message: expect.stringContaining(message) }),
  );
});

test("a server that never responds to a ping fails, and phrases of attacks are a hint", async () => {
  const argv = ["--timeout", "5s", ...program("misbehaving.mjs", "pingless")];
  const { code, findings } = await examine(argv);
  expect(code).toBe(1);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "ping",
      status: "failed",
      fix: expect.stringContaining("empty result"),
    }),
  );
  const hints = (await examine(program("misbehaving.mjs", "injects"))).findings;
  expect(hints).toContainEqual(
    expect.objectContaining({
      check: "injections",
      status: "note",
      message: expect.stringContaining('"Ignore all previous instructions"'),
    }),
  );
});

test("schemas that are unusual but right get no finding", async () => {
  const { findings } = await examine(program("misbehaving.mjs", "honest"));
  expect(findings.filter(({ status }) => status === "failed" || status === "warning")).toEqual([]);
});

test("a tool that only the page of an app may call needs no description for models", async () => {
  const { findings } = await examine(program("misbehaving.mjs", "for-pages"));
  expect(findings.filter(({ message }) => message.includes("no description"))).toEqual([]);
});

test("a server that ignores unknown methods gets a warning", async () => {
  const { code, findings } = await examine([
    "--timeout",
    "5s",
    ...program("misbehaving.mjs", "unknown-ignored"),
  ]);
  expect(code).toBe(0);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "handshake",
      status: "warning",
      fix: expect.stringContaining("-32601"),
    }),
  );
});

test("a server that starts slowly gets no finding about unknown methods", async () => {
  const { findings } = await examine(["--timeout", "5s", ...program("misbehaving.mjs", "slow")]);
  expect(findings.filter(({ status }) => status === "failed" || status === "warning")).toEqual([]);
  const spoken = findings.find(({ check, status }) => check === "handshake" && status === "ok");
  expect(spoken?.message).toContain(modernRevision);
});

test("a version that one check has spoken is spoken, even if the server is silent afterwards", async () => {
  const marker = join(temporaryFolder(), "started");
  const argv = ["--timeout", "5s", ...program("misbehaving.mjs", "once", marker)];
  const messages = (await examine(argv)).findings.map(({ message }) => message);
  expect(messages.find((message) => message.startsWith("The server speaks"))).toContain(modernRevision);
  expect(messages).toContainEqual(expect.stringContaining("did not respond within"));
  expect(messages.join("\n")).not.toContain("not spoken");
});

test("the cause of a failed start is shown in place of stack frames, with a fix", async () => {
  const cause = 'server.ts:12:0: ERROR: Top-level await is currently not supported with the "cjs"';
  const failing = program("misbehaving.mjs", "transform");
  const { findings } = await examine(failing);
  expect(findings).toContainEqual({
    check: "start",
    status: "failed",
    message: expect.stringContaining(`Error: Transform failed with 1 error: ${cause}`),
    fix: 'put "type": "module" into package.json',
  });
  const { code, stderr } = await tenon(["list", ...failing]);
  expect(code).toBe(3);
  expect(stderr).toContain(cause);
  expect(stderr).not.toContain("    at ");
  expect(stderr).toContain('try: put "type": "module" into package.json\n');
  const { stdout } = await tenon(["list", "--json", ...failing]);
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "connection", code: "CONNECTION_CLOSED" } });
});

test.each([
  ["mute", "handshake", "No response"],
  ["hangs", "lists", "tools cannot be listed"],
])("a server that is %s is named within the time limit", async (how, check, message) => {
  const { code, findings } = await examine(["--timeout", "5s", ...program("misbehaving.mjs", how)]);
  expect(code).toBe(1);
  expect(findings).toContainEqual(
    expect.objectContaining({ check, status: "failed", message: expect.stringContaining(message) }),
  );
});

test.each([
  [["--", "no-such-program"], "is not on the PATH", "add its folder to PATH"],
  [["--", "uvx-missing/uvx"], "does not exist", "correct the path"],
  [["--", process.execPath, "no-such-script.js"], "no-such-script.js does not exist", "build the server"],
  [["--cwd", "/no/such/folder", "--", process.execPath], "/no/such/folder does not exist", "correct cwd"],
  [
    ["--env", "KEY=<your key>", "--", process.execPath, fixture("loud.mjs")],
    "value of an example",
    "real value",
  ],
])("%j fails before anything is started", async (argv, message, fix) => {
  const { code, findings } = await examine(argv);
  expect(code).toBe(1);
  expect(findings).toContainEqual(
    expect.objectContaining({
      status: "failed",
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    }),
  );
});

test("without a target the configurations are checked, and with --all every server in them", async () => {
  const cwd = temporaryFolder();
  const loud = { command: process.execPath, args: [fixture("loud.mjs")], sparkle: true };
  const servers = { loud, unset: { command: "x", env: { KEY: "${NOT_SET_ANYWHERE}" } } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  mkdirSync(join(cwd, ".cursor"));
  writeFileSync(join(cwd, ".cursor/mcp.json"), "{ not json");
  const { code, findings } = await examine([], { cwd });
  expect(code).toBe(1);
  const texts = findings.map(({ message }) => message).join("\n");
  expect(texts).toContain("NOT_SET_ANYWHERE");
  expect(texts).toContain("unknown properties: sparkle");
  expect(texts).toContain(".cursor/mcp.json");
  const all = await examine(["--all"], { cwd });
  expect(all.findings.map(({ message }) => message)).toContain("loud 1.0.0, 2025-06-18.");
  expect((await tenon(["doctor", "loud", "--all"], { cwd })).code).toBe(2);
});

test("--fix adds the missing -y of npx and keeps the old file", async () => {
  const cwd = temporaryFolder();
  const file = join(cwd, ".mcp.json");
  const before = JSON.stringify({
    mcpServers: { a: { command: "npx", args: ["no-such-package-of-tenon"] } },
  });
  writeFileSync(file, before);
  await tenon(["doctor", "a", "--fix", "--timeout", "1ms"], { cwd });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mcpServers: { a: { command: "npx", args: ["-y", "no-such-package-of-tenon"] } },
  });
  expect(readFileSync(`${file}.bak`, "utf8")).toBe(before);
});

test.each([
  ["server.ts", ["--no-install", "tsx", "server.ts"], []],
  ["the binary of an installed package", ["here", "server.ts"], []],
  ["a package that npx downloads", ["elsewhere"], ["npx without -y waits"]],
])("npx is no finding for %s, unless it waits for a confirmation", (_, args, messages) => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "node_modules/.bin"), { recursive: true });
  mkdirSync(join(cwd, "below"));
  writeFileSync(join(cwd, "node_modules/.bin/here"), "");
  const findings = createFindings();
  const spec: StdioSpec = { type: "stdio", command: "npx", args, cwd: join(cwd, "below") };
  checkSpec(findings, spec, { cwd, env: process.env, platform: "linux" } as unknown as Shell);
  const warnings = findings.all.filter(({ status }) => status === "warning");
  expect(warnings.map(({ message }) => message)).toEqual(
    messages.map((message) => expect.stringContaining(message)),
  );
  expect(isDownloaded(spec, { cwd } as Shell)).toBe(messages.length > 0);
});

test("the text has a mark and a word for each failure, and a line for each fix", async () => {
  const { stdout, code } = await tenon(["doctor", ...program("misbehaving.mjs", "twice")]);
  expect(code).toBe(1);
  expect(stdout).toContain("  ✗ names            failed: Defined twice among the tools: fine.");
  expect(stdout).toContain("→ give every definition its own name");
  expect(stdout).toMatch(/\d+ passed, 0 warnings, 1 failed\n$/);
});

test("the last words of a program are shown once", async () => {
  const { stdout } = await tenon(["doctor", ...program("misbehaving.mjs", "gives-up")], { columns: 400 });
  expect(stdout.match(/The moon is in the wrong phase/g)).toHaveLength(1);
  expect(stdout).toContain(`✓ command  ${process.execPath} can be executed.`);
});

test("a package that npm does not find is named, even if npm has more to say", async () => {
  const words = [
    "npm error code E404",
    "npm error 404 Not Found - GET https://registry.npmjs.org/@me%2fnotes - Not found",
    "npm error 404",
    "npm error 404  The requested resource '@me/notes@*' could not be found",
    "npm error 404 Note that you can also install from a",
    "npm error 404 tarball, folder, http url, or git url.",
    ...[
      "",
      " New minor version of npm available!",
      " Changelog: https://github.com/npm",
      " To update run:",
    ].map((notice) => `npm notice${notice}`),
    "npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log",
  ];
  const code = `console.error(${JSON.stringify(words.join("\n"))}); process.exit(1);`;
  const { stderr } = await tenon(["ping", "--", process.execPath, "--eval", code]);
  expect(stderr).toContain("registry.npmjs.org/@me%2fnotes");
  expect(stderr).toContain("add --env npm_config_registry, or name it in ~/.npmrc");
  expect(stderr).not.toContain("New minor version");
});

test.each([
  ["Error: Cannot find module '/work/nosuch.js'", "there is no file /work/nosuch.js"],
  ["Error: Cannot find module 'express'", "npm install express"],
  ["Error [ERR_REQUIRE_ESM]: require() of ES Module", "ES module"],
  ["ModuleNotFoundError: No module named 'httpx'", "pip install httpx"],
  ["SyntaxError: Invalid or unexpected token", "decorators"],
  ['TypeError: Unknown file extension ".ts"', "tsx"],
  ["Error: listen EADDRINUSE: address already in use :::3000", "port 3000"],
  ["sh: ./server: Permission denied", "executable"],
  ["npm error code E404", "check its name"],
  ["npm error 404 Not Found - GET https://registry.npmjs.org/a", "--env npm_config_registry"],
  ["Please set GITHUB_TOKEN", "--env GITHUB_TOKEN=value"],
  ["usage: server <folder>", "other arguments"],
])("the last words %j have a remedy", (words, fix) => {
  expect(remedyFor(words)).toContain(fix);
});
