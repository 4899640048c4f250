import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { undeclaredImports } from "./undeclared-imports.ts";

const root = join(import.meta.dirname, "../../..");
const copied = [
  ".oxlintrc.json",
  "package.json",
  "packages",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "tsconfig.neutral.json",
  "tsconfig.node.json",
  "turbo.json",
];

/** What `packages/mcp` is compiled from. */
const compiled = ["base", "jsonrpc2", "jsonschema", "mcp", "protocol", "uri-template"];

/** Of what is built, only the compiler reads something: the declarations. */
function isRead(path: string): boolean {
  const [, name = "", file = ""] = /packages\/([^/]+)\/dist(?:\/|$)(.*)/.exec(path) ?? [];
  return name === "" || (compiled.includes(name) && !/\.(js|map)$/.test(file));
}

interface Workspace extends AsyncDisposable {
  /** Writes a file, until {@link restore}. */
  write(path: string, content: string): Promise<void>;
  /** Undoes all writing. */
  restore(): Promise<void>;
  /**
   * Runs a tool of the workspace; resolves with what it printed if it failed, with `undefined` if
   * it did not.
   */
  failure(tool: string, ...args: string[]): Promise<string | undefined>;
  readonly path: string;
}

/** A copy of the workspace in which rules may be broken. */
async function copyOfWorkspace(): Promise<Workspace> {
  const copy = await mkdtemp(join(tmpdir(), "tenon-"));
  await mkdir(join(copy, "node_modules"));
  for (const name of copied) {
    // The copy by promises takes twice the time.
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      // With their times kept, only packages in which a test breaks a rule are built again.
      preserveTimestamps: true,
      filter: (source) => !/\/(test|\.turbo)$/.test(source) && isRead(source),
    });
  }
  await Promise.all(
    [".bin", ".pnpm", "typescript", "turbo", "oxlint", "oxlint-tsgolint"].map((name) =>
      symlink(join(root, "node_modules", name), join(copy, "node_modules", name)),
    ),
  );
  const written = new Map<string, string | undefined>();
  return {
    path: copy,
    async write(path, content) {
      const file = join(copy, path);
      written.set(file, await readFile(file, "utf8").catch(() => undefined));
      await writeFile(file, content);
    },
    async restore() {
      for (const [file, before] of written) {
        await (before === undefined ? rm(file) : writeFile(file, before));
      }
      written.clear();
    },
    failure: (tool, ...args) =>
      new Promise((resolve) => {
        const env = { ...process.env, DO_NOT_TRACK: "1" };
        execFile(join(root, "node_modules/.bin", tool), args, { cwd: copy, env }, (error, stdout, stderr) => {
          resolve(error === null ? undefined : stdout + stderr);
        });
      }),
    [Symbol.asyncDispose]: () => rm(copy, { recursive: true, force: true }),
  };
}

let workspace: Workspace;

beforeAll(async () => {
  workspace = await copyOfWorkspace();
});

afterEach(() => workspace.restore());

afterAll(() => workspace[Symbol.asyncDispose]());

test("the workspace as it is passes, so that the failures below are due to the violations", async () => {
  expect(await workspace.failure("tsc", "-b", "packages/mcp")).toBeUndefined();
  expect(await workspace.failure("turbo", "boundaries")).toBeUndefined();
});

test("an import of node: in a neutral package does not compile", async () => {
  await workspace.write(
    "packages/jsonrpc2/src/violation.ts",
    'import { readFileSync } from "node:fs";\nreadFileSync("x");\n',
  );
  expect(await workspace.failure("tsc", "-b", "packages/jsonrpc2")).toContain("violation.ts");
});

test("a Node global in a neutral package does not compile", async () => {
  await workspace.write(
    "packages/jsonrpc2/src/violation.ts",
    'export const bytes: unknown = Buffer.from("x");\n',
  );
  expect(await workspace.failure("tsc", "-b", "packages/jsonrpc2")).toContain("Buffer");
});

test("a relative import into another package does not compile and breaks the boundaries", async () => {
  await workspace.write(
    "packages/protocol/src/violation.ts",
    'export { encode } from "../../jsonrpc2/src/index.ts";\n',
  );
  expect(await workspace.failure("tsc", "-b", "packages/protocol")).toContain("violation.ts");
  expect(await workspace.failure("turbo", "boundaries")).toContain("violation.ts");
});

test("an import that the package's manifest does not name does not compile and breaks the boundaries", async () => {
  await workspace.write("packages/protocol/src/violation.ts", 'export { encode } from "@tenon/jsonrpc2";\n');
  expect(await workspace.failure("tsc", "-b", "packages/protocol")).toContain("violation.ts");
  expect(await workspace.failure("turbo", "boundaries")).toContain("@tenon/jsonrpc2");
});

test("no package imports in its sources what only its tests may use, and such an import is found", async () => {
  expect(await undeclaredImports(join(root, "packages"))).toEqual([]);
  await workspace.write(
    "packages/mcp/src/violation.ts",
    'export { createInMemoryTransports } from "@tenon/transports-memory";\n',
  );
  expect(await undeclaredImports(join(workspace.path, "packages"))).toEqual([
    "mcp/src/violation.ts: @tenon/transports-memory",
  ]);
});

test("dependencies upwards and sideways break the boundaries, even if the manifests name them", async () => {
  // None follows from the others.
  const wrong: readonly (readonly [from: string, to: string])[] = [
    ["base", "jsonrpc2"],
    ["jsonrpc2", "jsonschema"],
    ["protocol", "mcp"],
    ["transports-memory", "transports-stdio"],
    ["mcp", "sdk"],
    ["sdk", "cli"],
  ];
  for (const [from, to] of wrong) {
    const file = `packages/${from}/package.json`;
    const manifest = JSON.parse(await readFile(join(workspace.path, file), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    manifest.dependencies = { ...manifest.dependencies, [`@tenon/${to}`]: "workspace:^" };
    await workspace.write(file, JSON.stringify(manifest, undefined, 2));
  }
  const printed = (await workspace.failure("turbo", "boundaries")) ?? "";
  // It breaks lines within names.
  const words = printed.replaceAll(/[\s|]/g, "");
  for (const [from, to] of wrong) {
    expect(words).toContain(`\`@tenon/${to}\`foundwithtaglistedindenylistfor\`@tenon/${from}\``);
  }
});

test("an import cycle and a source of more than 500 lines fail lint", async () => {
  await workspace.write(
    "packages/jsonrpc2/src/one.ts",
    'import { two } from "./two.ts";\nexport const one = (): unknown => two;\n',
  );
  await workspace.write(
    "packages/jsonrpc2/src/two.ts",
    'import { one } from "./one.ts";\nexport const two = (): unknown => one;\n',
  );
  await workspace.write(
    "packages/jsonrpc2/src/long.ts",
    `export const long = [\n${"  0,\n".repeat(500)}];\n`,
  );
  const printed = await workspace.failure("oxlint", "packages/jsonrpc2/src");
  expect(printed).toContain("no-cycle");
  expect(printed).toContain("max-lines");
});

const foldersOfMcp = ["base", "revisions", "request", "feature", "session", "assemble", "entry"];

test.each(foldersOfMcp.slice(0, -1).map((folder, index) => [folder, foldersOfMcp[index + 1] ?? ""]))(
  "an import of mcp's folder %s from %s, the next above it, fails lint, in types and at run time",
  async (folder, above) => {
    await mkdir(join(workspace.path, `packages/mcp/src/${folder}/deep`), { recursive: true });
    await workspace.write(`packages/mcp/src/${above}/above.ts`, "export const above = 1;\n");
    await workspace.write(
      `packages/mcp/src/${folder}/upwards.ts`,
      `export { above } from "../${above}/above.ts";\n`,
    );
    await workspace.write(
      `packages/mcp/src/${folder}/deep/upwards.ts`,
      `import type * as above from "../../${above}/above.ts";\nexport type Above = typeof above;\n`,
    );
    await workspace.write(
      `packages/mcp/src/${folder}/later.ts`,
      `export const later = (): Promise<unknown> => import("../${above}/above.ts");\n`,
    );
    const printed = await workspace.failure("oxlint", `packages/mcp/src/${folder}`);
    for (const file of ["upwards.ts", "deep/upwards.ts", "later.ts"]) {
      expect(printed).toContain(`packages/mcp/src/${folder}/${file}`);
    }
    expect(printed).toContain("Imports point down");
  },
);

test("an import of mcp's index.ts or of its folder for Node from below fails lint", async () => {
  await workspace.write("packages/mcp/src/assemble/all.ts", 'export * from "../index.ts";\n');
  await workspace.write("packages/mcp/src/session/files.ts", 'export * from "../node/file-resources.ts";\n');
  const printed = await workspace.failure("oxlint", "packages/mcp/src");
  expect(printed).toContain("packages/mcp/src/assemble/all.ts");
  expect(printed).toContain("packages/mcp/src/session/files.ts");
});
