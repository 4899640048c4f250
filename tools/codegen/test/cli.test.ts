import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { expect, test } from "vitest";

import { help } from "../src/cli.ts";
import { root, run } from "./support.ts";

test.each([
  [[]],
  [["publish"]],
  [["generate", "now"]],
  [["check", "a.json"]],
  [["check", "a.json", "--revision", "tomorrow"]],
  [["diff", "2024-11-05"]],
  [["diff", "2024-11-05", "1999-01-01"]],
  [["generate", "--fast"]],
])("wrong usage exits with 2 and says what was expected: %j", async (argv) => {
  const result = await run(argv);
  expect(result.code).toBe(2);
  expect(result.out).toBe("");
  expect(result.err).toMatch(/expected|unknown|known revisions/i);
});

test("--help prints the commands and the exit codes", async () => {
  expect(await run(["--help"])).toEqual({ code: 0, out: help, err: "" });
  for (const word of ["generate", "check", "import", "diff", "Exit codes"]) {
    expect(help).toContain(word);
  }
});

test("diff prints what changed between two revisions", async () => {
  const { code, out } = await run(["diff", "2025-11-25", "2026-07-28"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^\| `server\/discover` +\| added \|$/m);
  expect(out).toMatch(/^\| `ping` +\| removed \|$/m);
  expect(out).toMatch(
    /^\| `resources\/read` +\| now cacheable; now able to ask for input; now mirrored in a header \(uri\) \|$/m,
  );
  expect(out).toMatch(
    /^\| `CallToolRequestParams.requestState` +\| field requestState \(string\) added \|$/m,
  );
  expect(out).toMatch(/^\| `Tool.execution` +\| field execution removed \|$/m);
});

test("diff of a revision with itself finds nothing", async () => {
  const { out } = await run(["diff", "2025-11-25", "2025-11-25"]);
  expect(out).toBe("# 2025-11-25 → 2025-11-25\n\nNo method changed.\n\nNo place changed.\n");
});

test("the root script passes arguments and the exit code through", () => {
  const script = join(root, "tools", "run", "codegen.mjs");
  const done = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" });
  expect(done).toMatchObject({ status: 0, stdout: help, stderr: "" });
  expect(spawnSync(process.execPath, [script, "nonsense"], { encoding: "utf8" }).status).toBe(2);
});

test("output that nobody reads is dropped without an error", async () => {
  const script = join(root, "tools", "run", "codegen.mjs");
  const child = spawn(process.execPath, [script, "diff", "2024-11-05", "2026-07-28"]);
  child.stdout.destroy();
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code] = (await once(child, "close")) as [number];
  expect({ code, err }).toEqual({ code: 0, err: "" });
});
