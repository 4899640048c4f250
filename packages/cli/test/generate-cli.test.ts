import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { listen } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { server } from "./fixtures/notes.mjs";
import { fixture, self, temporaryFolder, tenon, type Ran } from "./support.ts";

/** A folder in which a program finds the packages of the SDK. */
function folderOfProgram(): string {
  const folder = mkdtempSync(join(import.meta.dirname, ".generated-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a generated program with the built packages. */
async function run(file: string, args: readonly string[], stdin = ""): Promise<Ran> {
  const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, API_KEY: "k" } });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const exited = once(child, "exit");
  child.stdin.end(stdin);
  const [code] = (await exited) as [number];
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

test("a generated program calls the tools of a program by its commands and their options", async () => {
  const cwd = folderOfProgram();
  const from = ["--from", "@tenon/mcp", "--out", "notes.mjs", "--env", "API_KEY=secret"];
  const target = ["--", ...self, "serve", fixture("notes.mjs")];
  const { code, stdout, stderr } = await tenon(["generate", "cli", ...from, ...target], { cwd });
  expect([code, stdout]).toEqual([0, `${join(cwd, "notes.mjs")}: 7 commands of notes\n`]);
  expect(stderr).toContain("passes these variables on: API_KEY");
  const file = join(cwd, "notes.mjs");
  expect(statSync(file).mode & 0o111).toBe(0o111);
  expect(readFileSync(file, "utf8")).not.toContain("secret");

  const [help, add, added, failed, wrong, infinite, rounded, missing, unknown, read, hostile] =
    await Promise.all([
      run(file, []),
      run(file, ["add", "--help"]),
      run(file, ["add", "--name", "milk", "--times", "2", "--tags", "a", "--tags", "b", "--json"]),
      run(file, ["add", "--name", "one"]),
      run(file, ["add", "--name", "milk", "--times", "two"]),
      run(file, ["echo", "--input", '{"a": 1e999}']),
      run(file, ["echo", "--input", '{"a": 9007199254740993}']),
      run(file, ["add", "--text", "x"]),
      run(file, ["remove"]),
      run(file, ["echo", "--input", "-"], '{"a": 1}'),
      run(file, ["escape"]),
    ]);
  const source = readFileSync(file, "utf8").replace('"command":"echo"', '"command":"say-again"');
  writeFileSync(join(cwd, "renamed.mjs"), source);
  expect(await run(join(cwd, "renamed.mjs"), ["echo", "--input", "-"], '{"a": 1}')).toMatchObject(read);
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/^notes 1\.0\.0\n\n {2}add +Adds a note\./);
  expect(add.stdout).toMatch(/--name <string> +The name \(required\)\n/);
  expect(add.stdout).toMatch(/--tags <string> +\(may be repeated\)/);
  expect(added.code).toBe(0);
  expect(JSON.parse(added.stdout)).toMatchObject({ structuredContent: { count: 2 } });
  expect(failed).toMatchObject({ code: 1, stdout: "There is a note one.\n" });
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain('--times takes a whole number; got "two".');
  for (const refused of [infinite, rounded]) {
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--input takes JSON") });
    expect(refused.stderr).toContain("Number cannot be sent exactly");
  }
  expect(missing).toMatchObject({ code: 2, stderr: "error: Missing: --name. Try --help.\n" });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no command "remove"') });
  expect(read).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
  expect(hostile.stdout).toContain("\\u001b[2Jcleared\\u0007 \\u202e");
});

test("a generated program of a remote server has no secret of its address, and sends headers", async () => {
  const cwd = folderOfProgram();
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate: ({ headers }) => (headers.get("x-key") === "abc" ? { principal: "ada" } : undefined),
  });
  const listening = await listen(handler, { port: 0 });
  onTestFinished(() => listening.close({ drainMs: 0 }));
  const { code } = await tenon(
    [
      ...["generate", "cli", `${listening.url.href}?token=hunter2`, "--header", "X-Key: abc"],
      ...["--from", "@tenon/mcp", "--out", "remote.mjs"],
    ],
    { cwd },
  );
  expect(code).toBe(0);
  const file = join(cwd, "remote.mjs");
  expect(readFileSync(file, "utf8")).not.toMatch(/hunter2|abc/);
  expect(await run(file, ["echo", "--header", "X-Key: abc"])).toMatchObject({ code: 0, stdout: "{}\n" });
  expect((await run(file, ["echo"])).code).toBe(3);
});

test("--check finds tools that have changed since the program was written", async () => {
  const cwd = temporaryFolder();
  const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  onTestFinished(() => listening.close({ drainMs: 0 }));
  const generate = ["generate", "cli", listening.url.href, "--out", "cli.mjs"];
  expect((await tenon([...generate, "--check"], { cwd })).code).toBe(2);
  await tenon(generate, { cwd });
  expect(await tenon([...generate, "--check"], { cwd })).toMatchObject({ code: 0, stdout: "No changes.\n" });
  const file = join(cwd, "cli.mjs");
  const written = readFileSync(file, "utf8");
  chmodSync(file, 0o644);
  writeFileSync(file, written.replaceAll('"name":"picture"', '"name":"photo"'));
  const drifted = await tenon([...generate, "--check"], { cwd });
  expect(drifted.code).toBe(7);
  expect(drifted.stdout).toContain("photo");
  writeFileSync(file, `${written}\n`);
  expect((await tenon([...generate, "--check"], { cwd })).stderr).toContain("is not what the tools");
});

test("only a program or a remote server can have a generated program", async () => {
  const { code, stderr } = await tenon(["generate", "cli", fixture("notes.mjs")]);
  expect(code).toBe(2);
  expect(stderr).toContain("cannot be started by another program");
});
