import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);
const exec = promisify(execFile);

const compilers = [
  ["5.4", "typescript-5.4"],
  ["5.9", "typescript-5.9"],
  ["6", "typescript-6"],
  ["7", "typescript"],
] as const;

type Schema = Readonly<Record<string, unknown>>;

/** A definition with the definitions that it refers to. */
function pruned(all: Readonly<Record<string, Schema>>, name: string, at: string): Schema {
  const reached = new Set<string>();
  const queue = [name];
  for (const each of queue) {
    for (const [, target = ""] of JSON.stringify(all[each]).matchAll(
      /"#\/(?:\$defs|definitions)\/([^"]+)"/g,
    )) {
      if (!reached.has(target)) {
        reached.add(target);
        queue.push(target);
      }
    }
  }
  return { ...all[name], [at]: Object.fromEntries([...reached].map((each) => [each, all[each]])) };
}

/** A tool for each object that the published schemas of the protocol define. */
async function toolsOfProtocol(): Promise<object[]> {
  const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
  const perRevision = revisions.map(async (revision) => {
    const schema = JSON.parse(
      await readFile(join(root, "schema", revision, "schema.json"), "utf8"),
    ) as Record<"$defs" | "definitions", Readonly<Record<string, Schema>> | undefined>;
    const at = schema.$defs === undefined ? "definitions" : "$defs";
    const all = schema[at] ?? {};
    return Object.keys(all)
      .filter((name) => all[name]?.["type"] === "object")
      .map((name) => {
        const inputSchema = pruned(all, name, at);
        return { name: `${name}.${revision}`, inputSchema, outputSchema: inputSchema };
      });
  });
  return (await Promise.all(perRevision)).flat();
}

const program = `
import type { ClientSession } from "@tenon/sdk";
import { connectProtocol, definitions, type ToolMap } from "./protocol.gen.js";

export async function use(session: ClientSession): Promise<string> {
  const tools = connectProtocol(session);
  const info = await tools.implementation20251125({ name: "a", version: "1" });
  // @ts-expect-error a version is required
  await tools.implementation20251125({ name: "a" });
  return info.name + (info.title ?? "") + definitions.length;
}

export type Hints = ToolMap["Implementation.2025-11-25"]["input"]["version"];
export const hint: Hints = "1";
`;

const sdkProgram = `
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
  ["esm", "module"],
  ["cjs", "commonjs"],
] as const;

let folder = "";
let tools: object[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-typegen-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@tenon"), { recursive: true });
  await mkdir(join(modules, "@types"));
  await symlink(join(root, "packages/sdk"), join(modules, "@tenon/sdk"));
  await symlink(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "app.ts"), program);
  tools = await toolsOfProtocol();
  const definitions = { tools, prompts: [], resources: [], resourceTemplates: [] };
  const lock = { tenon: 1, server: { name: "protocol", version: "1" }, definitions };
  await writeFile(join(folder, "tenon.lock.json"), JSON.stringify(lock));
  for (const [name, type] of kinds) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "package.json"), JSON.stringify({ type }));
    await writeFile(join(folder, name, "app.ts"), sdkProgram);
  }
  // One program for each compiler: the libraries and the declarations of the SDK cost most.
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "dom", "esnext.disposable"],
    // Unlike "nodenext" it lets no CommonJS module require an ES module.
    module: "node16",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ["node"],
  };
  const project = { compilerOptions, files: ["app.ts", "types.d.ts", "esm/app.ts", "cjs/app.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
});

afterAll(() => rm(folder, { recursive: true }));

function tenon(...argv: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return exec(process.execPath, [join(root, "packages/cli/dist/bin.js"), ...argv], { cwd: folder });
}

test("typegen writes the types of 400 schemas of real use, the same each time", async () => {
  expect(tools.length).toBeGreaterThan(300);
  const { stderr } = await tenon("typegen", "tenon.lock.json", "--out", "protocol.gen.ts");
  expect(stderr).toBe("");
  await tenon("typegen", "tenon.lock.json", "--out", "types.d.ts");
  const again = await tenon("typegen", "tenon.lock.json", "--out", "protocol.gen.ts", "--check");
  expect(again.stdout).toBe("No changes.\n");
  expect(await readFile(join(folder, "types.d.ts"), "utf8")).not.toMatch(/export (?:const|function)/);
});

test.each(compilers)(
  "what typegen writes, and an ES module and a CommonJS module that use the umbrella, compile with TypeScript %s with skipLibCheck off, and run",
  { timeout: 180_000 },
  async (_, name) => {
    const tsc = join(dirname(require.resolve(`${name}/package.json`)), "bin/tsc");
    const failed = await exec(process.execPath, [tsc, "-p", folder]).then(
      () => "",
      ({ stdout }: { stdout: string }) => stdout.slice(0, 2000),
    );
    expect(failed).toBe("");
    for (const [kind] of kinds) {
      const { stdout } = await exec(process.execPath, [join(folder, kind, "app.js")]);
      expect(stdout).toBe("1 4\n");
    }
  },
);
