import { spawn } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import ts from "typescript-6";

const root = join(import.meta.dirname, "../../../..");

/** A version of Node. */
export interface Node {
  /** As `process.version` names it. */
  readonly name: string;
  readonly binary: string;
  readonly major: number;
}

/** The Node that runs the tests, then the others of the supported versions that are installed. */
export const nodes: readonly Node[] = [
  { name: "this Node", binary: process.execPath, major: Number(process.versions.node.split(".")[0]) },
  ...[20, 22, 24, 26].flatMap((major) => {
    const name = `node-${major}-${process.platform}-${process.arch}`;
    const binary = join(root, "tools/runtimes/node_modules", name, "bin/node");
    return existsSync(binary) ? [{ name: `Node ${major}`, binary, major }] : [];
  }),
].filter(({ major }, index, all) => all.findIndex((other) => other.major === major) === index);

/** How a program ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the name of the signal. */
  readonly code: number | string;
}

/** What {@link run} starts. */
export interface Launch {
  readonly binary?: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Standard input. Without it, standard input is at its end. */
  readonly input?: string | undefined;
  /** A server gets SIGTERM as soon as it has printed this. */
  readonly until?: RegExp | undefined;
}

/** Runs a program without a shell or a test runner, as `node file` does. */
export function run({ binary = process.execPath, args, cwd, input, until }: Launch): Promise<Ended> {
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  // Programs that start `node` get the same version.
  const path = [dirname(binary), env["PATH"]].join(delimiter);
  const child = spawn(binary, args, { cwd, env: { ...env, PATH: path, PORT: "0", NO_COLOR: "1" } });
  let stdout = "";
  let stderr = "";
  let isStopped = false;
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
    if (!isStopped && until?.test(stdout) === true) {
      isStopped = child.kill("SIGTERM");
    }
  });
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ stdout, stderr, code: code ?? signal ?? -1 }));
  });
}

/** Starts a program that prints a URL and runs until it is stopped. */
export function serve(file: string): Promise<{ readonly url: string; stop(): void }> {
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${file} ended with code ${code}`)));
    child.stdout.on("data", (chunk) => resolve({ url: String(chunk).trim(), stop: () => void child.kill() }));
  });
}

/** The folder of a project in which every package is installed. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
}

/** Where a dependency of a program is installed. */
const thirdParty: Readonly<Record<string, string>> = {
  "@hono/node-server": "tools/docs",
  express: "tools/docs",
  fastify: "tools/docs",
  hono: "tools/docs",
  libsql: "packages/store-sqlite",
  zod: "tools/docs",
};

/** Makes a project beside nothing else, so that programs resolve what a user's program would. */
export async function createProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-programs-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@tenon"), { recursive: true });
  await mkdir(join(modules, "@hono"));
  for (const name of readdirSync(join(root, "packages"))) {
    symlinkSync(join(root, "packages", name), join(modules, "@tenon", name));
  }
  for (const [name, owner] of Object.entries(thirdParty)) {
    symlinkSync(join(root, owner, "node_modules", name), join(modules, name));
  }
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** The command `tenon`. */
export const tenon: string = createRequire(import.meta.url).resolve("../../../../packages/cli/dist/bin.js");

/**
 * Writes a program for a version of Node: as it is if that runs TypeScript, compiled otherwise.
 *
 * @returns The name of its file.
 */
export async function writeProgram(
  folder: string,
  name: string,
  code: string,
  { major }: Node,
): Promise<string> {
  const isNative = major >= 24 || (major >= 22 && !/\bawait using\b/.test(code));
  if (isNative && !/^\s*@\w+\(/m.test(code)) {
    const file = `${name}.ts`;
    await writeFile(join(folder, file), code);
    return file;
  }
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  const file = `${name}.mjs`;
  await writeFile(join(folder, file), outputText);
  return file;
}
