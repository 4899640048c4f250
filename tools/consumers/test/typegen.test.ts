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

/**
 * The oldest and the newest compiler read all types, those between them the types of one revision:
 * what they refuse is a matter of the form of a type, not of how many there are.
 */
const compilers = [
  ["5.4", "typescript-5.4", "all"],
  ["5.9", "typescript-5.9", "some"],
  ["6", "typescript-6", "some"],
  ["7", "typescript", "all"],
] as const;

const selections = {
  all: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  some: ["2025-11-25"],
} as const;

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
async function toolsOfProtocol(revisions: readonly string[]): Promise<object[]> {
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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-typegen-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@tenon"), { recursive: true });
  await mkdir(join(modules, "@types"));
  await symlink(join(root, "packages/sdk"), join(modules, "@tenon/sdk"));
  await symlink(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  for (const [selection, revisions] of Object.entries(selections)) {
    const tools = await toolsOfProtocol(revisions);
    const definitions = { tools, prompts: [], resources: [], resourceTemplates: [] };
    const lock = { tenon: 1, server: { name: "protocol", version: "1" }, definitions };
    await mkdir(join(folder, selection));
    await writeFile(join(folder, selection, "app.ts"), program);
    await writeFile(join(folder, selection, "tenon.lock.json"), JSON.stringify(lock));
  }
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
    // The compilers' own libraries are theirs to check.
    skipDefaultLibCheck: true,
    types: ["node"],
  };
  for (const selection of Object.keys(selections)) {
    const files = [`${selection}/app.ts`, "some/types.d.ts", "esm/app.ts", "cjs/app.ts"];
    await writeFile(join(folder, `${selection}.json`), JSON.stringify({ compilerOptions, files }));
  }
});

afterAll(() => rm(folder, { recursive: true }));

test.each(["all", "some"] as const)(
  "typegen writes the types of schemas of real use, the same each time (%s)",
  async (selection) => {
    const cwd = join(folder, selection);
    const tenon = (...argv: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
      exec(process.execPath, [join(root, "packages/cli/dist/bin.js"), ...argv], { cwd });
    const { stderr } = await tenon("typegen", "tenon.lock.json", "--out", "protocol.gen.ts");
    expect(stderr).toBe("");
    await tenon("typegen", "tenon.lock.json", "--out", "types.d.ts");
    const again = await tenon("typegen", "tenon.lock.json", "--out", "protocol.gen.ts", "--check");
    expect(again.stdout).toBe("No changes.\n");
    const types = await readFile(join(cwd, "types.d.ts"), "utf8");
    expect(types).not.toMatch(/export (?:const|function)/);
    // Each schema of real use is the input of a tool.
    expect(types.match(/^export (?:type|interface) \w+Input\b/gm)?.length).toBeGreaterThan(
      selection === "all" ? 300 : 50,
    );
  },
);

test.each(compilers)(
  "what typegen writes, and an ES module and a CommonJS module that use the umbrella, compile with TypeScript %s with skipLibCheck off, and run",
  async (_, name, selection) => {
    const tsc = join(dirname(require.resolve(`${name}/package.json`)), "bin/tsc");
    const failed = await exec(process.execPath, [tsc, "-p", join(folder, `${selection}.json`)]).then(
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
