import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);

const compilers = [
  ["5.4", "typescript-5.4"],
  ["7", "typescript"],
] as const;

const program = `
import { Client, Server } from "@tenon/sdk";
import { compile } from "@tenon/sdk/jsonschema";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { CommandTransport, StdioTransport } from "@tenon/sdk/stdio";

const server = new Server({ name: "a", version: "1" });
server.addTool(
  { name: "greet", input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
  ({ name }) => name.toUpperCase(),
);
// @ts-expect-error the input has no age
server.addTool({ name: "old", input: { type: "object", properties: {}, additionalProperties: false } }, ({ age }) => String(age.years));
export const a: number = compile({ type: "object", properties: { a: { type: "number" } }, required: ["a"] }).parse({ a: 1 }).a;
export const all: unknown[] = [Client, CommandTransport, StdioTransport, createInMemoryTransports];
console.log(a, all.filter((value) => typeof value === "function").length);
`;

/** A CommonJS program gets the same packages, and loads their ES modules by `require`. */
const kinds = [
  ["an ES module", "nodenext", "module"],
  ["a CommonJS module", "node16", "commonjs"],
] as const;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-consumer-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@tenon"), { recursive: true });
  await mkdir(join(modules, "@types"));
  await symlink(join(root, "packages/sdk"), join(modules, "@tenon/sdk"));
  await symlink(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
  for (const [, module, type] of kinds) {
    const project = join(folder, module);
    await mkdir(project);
    await writeFile(join(project, "package.json"), JSON.stringify({ type }));
    await writeFile(join(project, "app.ts"), program);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2023", "dom", "esnext.disposable"],
      module,
      strict: true,
      skipLibCheck: false,
      types: ["node"],
      outDir: "dist",
      rootDir: ".",
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
  }
});

afterAll(() => rm(folder, { recursive: true }));

test.each(
  kinds.flatMap(([kind, module]) => compilers.map((compiler) => [kind, ...compiler, module] as const)),
)(
  "%s on TypeScript %s compiles against the built umbrella with skipLibCheck off, and runs",
  async (_kind, _version, name, module) => {
    const project = join(folder, module);
    const tsc = join(dirname(require.resolve(`${name}/package.json`)), "bin/tsc");
    const failed = await promisify(execFile)(process.execPath, [tsc, "-p", project]).then(
      () => "",
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(failed).toBe("");
    const { stdout } = await promisify(execFile)(process.execPath, [join(project, "dist/app.js")]);
    expect(stdout).toBe("1 4\n");
  },
  180_000,
);
