import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { installPacks } from "@tenon/test-support/packs";
import { afterAll, beforeAll, expect, test } from "vitest";

const tool = resolve(import.meta.dirname, "../../codegen");
const require = createRequire(import.meta.url);
const exec = promisify(execFile);

let folder = "";

/** Installs the packed package as npm would: its files, and a way to its dependencies. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consumer-codegen-"));
  const [target = ""] = await installPacks(["tools/codegen"], join(folder, "node_modules"));
  await symlink(join(tool, "node_modules"), join(target, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command as `npx @tenon/codegen` does. */
async function npx(...argv: readonly string[]): Promise<string> {
  const target = join(folder, "node_modules", "@tenon", "codegen");
  const { bin } = JSON.parse(await readFile(join(target, "package.json"), "utf8")) as { bin: object };
  const [file = ""] = Object.values(bin) as string[];
  return (await exec(process.execPath, [join(target, file), ...argv], { cwd: folder })).stdout;
}

const program = `import { methods, type Methods } from "./protocol/methods.js";
import type { Tool } from "./protocol/types.js";
export const kind: "request" = methods["tools/call"].kind;
export type Called = Methods["tools/call"]["result"];
export const tool: Tool = { name: "greet", inputSchema: { type: "object" } };
// @ts-expect-error a tool has a name
export const nameless: Tool = { inputSchema: { type: "object" } };
`;

test("the packed generator has its schemas with it, and what it writes compiles with old and new compilers", async () => {
  const [newest = ""] = (await npx("diff", "2024-11-05", "2025-03-26")).split("\n");
  expect(newest).toBe("# 2024-11-05 → 2025-03-26");
  expect(await npx("generate", "2025-11-25", "--out", "protocol")).toContain("wrote protocol/types.ts");
  await writeFile(join(folder, "program.ts"), program);
  const settings = ["--strict", "--noEmit", "--module", "nodenext", "--moduleResolution", "nodenext"];
  const results = ["typescript-5.4", "typescript"].map((name) => {
    const tsc = join(dirname(require.resolve(`${name}/package.json`)), "bin", "tsc");
    return exec(process.execPath, [tsc, ...settings, "program.ts"], { cwd: folder }).catch(
      (error: unknown) => error,
    );
  });
  for (const result of await Promise.all(results)) {
    expect(result).toMatchObject({ stdout: "" });
  }
});
