import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { main } from "../src/main.ts";
import type { Shell } from "../src/shell.ts";

/** What a run printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a run differs from one in an empty folder without a terminal. */
export interface RunOptions {
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each text that is written. */
  readonly onWrite?: ((stream: "stdout" | "stderr", text: string) => void) | undefined;
}

/** The path of a fixture. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A program that Node runs: what follows `--`. */
export function program(name: string, ...args: readonly string[]): readonly string[] {
  return ["--", process.execPath, fixture(name), ...args];
}

/** The program and the arguments that start the built command line, as users start it. */
export const self = [process.execPath, fileURLToPath(new URL("../dist/bin.js", import.meta.url))] as const;

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command line in this process. */
export async function tenon(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { stdin = "", env = {}, cwd, isTTY = false, columns, signal } = options;
  const home = cwd ?? temporaryFolder();
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr"): Shell["stdout"] => ({
    isTTY,
    columns,
    write(text) {
      const added = typeof text === "string" ? text : Buffer.from(text).toString("latin1");
      written[name] += added;
      options.onWrite?.(name, added);
    },
  });
  const code = await main(argv, {
    stdin: Object.assign(Readable.from(stdin === "" ? [] : [stdin]), { isTTY }),
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: { XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "data"), VITEST: "true", ...env },
    cwd: home,
    home,
    platform: "linux",
    version: "1.2.3",
    self,
    signal: signal ?? new AbortController().signal,
  });
  return { code, ...written };
}

/**
 * Runs the built command line in its own process, as the user of {@link tenon} in a folder.
 *
 * @param more - Variables.
 */
export async function tenonProcess(
  argv: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { VITEST: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: cwd,
    XDG_CONFIG_HOME: join(cwd, "config"),
    XDG_DATA_HOME: join(cwd, "data"),
    ...more,
  };
  const [command, ...args] = self;
  return new Promise((resolve) => {
    execFile(command, [...args, ...argv], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** Runs a command line that must succeed, and parses its JSON. */
export async function json(argv: readonly string[], options?: RunOptions): Promise<unknown> {
  const at = argv.indexOf("--");
  const end = at === -1 ? argv.length : at;
  const ran = await tenon([...argv.slice(0, end), "--json", ...argv.slice(end)], options);
  if (ran.code !== 0) {
    throw new Error(`exit code ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
  }
  return JSON.parse(ran.stdout) as unknown;
}
