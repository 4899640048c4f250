import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { runCli } from "../src/cli.ts";
import type { Schema } from "../src/schema.ts";

/** Root of this checkout. */
export const root = resolve(fileURLToPath(import.meta.url), "../../../..");

/** Upstream's documents, kept outside the checkout; tests that need them are skipped without. */
export const upstream = join(process.env["TENON_SHARED"] ?? resolve(root, "../shared"), "data", "mcp-schema");
export const hasUpstream = existsSync(upstream);

/** What a run of the command line left behind. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process. */
export function run(argv: readonly string[], at: string = root): Promise<Run> {
  return runIn({ root: at, isCheckout: true, cwd: at }, argv);
}

/** Runs the command line as the published package does, in a folder of a stranger. */
export function packageRun(folder: () => string): (...argv: readonly string[]) => Promise<Run> {
  return (...argv) => runIn({ root, isCheckout: false, cwd: folder() }, argv);
}

async function runIn(
  at: { readonly root: string; readonly isCheckout: boolean; readonly cwd: string },
  argv: readonly string[],
): Promise<Run> {
  let out = "";
  let err = "";
  const code = await runCli(argv, {
    ...at,
    version: "1.2.3",
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

/** A throw-away copy of the parts of a checkout that the generator works on. */
export interface Checkout {
  readonly root: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Copies `schema/`, `packages/protocol` and its dependency, and the rules of the revisions into a
 * temporary folder, which goes when the copy is disposed of.
 */
export async function checkout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), "codegen-"));
  await cp(join(root, "schema"), join(folder, "schema"), { recursive: true });
  await mkdir(join(folder, "docs"));
  await cp(join(root, "docs/protocol-methods.md"), join(folder, "docs/protocol-methods.md"));
  for (const member of ["base", "protocol"]) {
    await mkdir(join(folder, "packages", member), { recursive: true });
    for (const name of ["src", "package.json", "tsconfig.json"]) {
      const path = join("packages", member, name);
      await cp(join(root, path), join(folder, path), { recursive: true });
    }
  }
  const modules = join(folder, "packages/protocol/node_modules/@tenon");
  await mkdir(modules, { recursive: true });
  await symlink(join(root, "packages/base"), join(modules, "base"));
  const rules = join("packages", "mcp", "src", "revisions");
  await cp(join(root, rules), join(folder, rules), { recursive: true });
  for (const name of ["tsconfig.base.json", "tsconfig.neutral.json"]) {
    await cp(join(root, name), join(folder, name));
  }
  return { root: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** A JSON document with its definitions, whatever they are kept under. */
export async function readDocument(
  path: string,
): Promise<{ document: Schema; definitions: { [name: string]: Schema } }> {
  const document = JSON.parse(await readFile(path, "utf8")) as Schema;
  const definitions = (document["$defs"] ?? document["definitions"]) as { [name: string]: Schema };
  return { document, definitions };
}
