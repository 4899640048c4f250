// What the scripts at the root share: they must run on a fresh machine with Node and npm alone.
import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// The compilers and linters written in Go live for seconds: collecting their garbage would take a third of their time.
process.env["GOGC"] ??= "off";
process.env["GOMEMLIMIT"] ??= "2GiB";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const windows = process.platform === "win32";
const pnpmVersion = "12.21.0";

/**
 * Runs a command in a folder, by default the root; resolves with its exit code. What it prints goes to this process, or into `file`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, interactive?: boolean, file?: string, env?: Record<string, string>, cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, { quiet = false, interactive = false, file, env = {}, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const log = file === undefined ? undefined : openSync(file, "w");
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, DO_NOT_TRACK: "1", ...env },
      shell: windows,
      stdio: [interactive ? "inherit" : "ignore", log ?? (quiet ? "ignore" : "inherit"), log ?? "inherit"],
    });
    if (log !== undefined) {
      closeSync(log);
    }
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** @type {Promise<void> | undefined} */
let found;

/**
 * Puts pnpm, in the version that the workspace is made for, and the programs of the workspace on the PATH of this process and of its children. npx needs a
 * second each time, so it is asked once.
 */
export function preparePath() {
  found ??= (async () => {
    const args = ["-y", "-p", `pnpm@${pnpmVersion}`, "node", "-p", "process.env.PATH"];
    const { stdout } = await promisify(execFile)("npx", args, { cwd: root, shell: windows });
    process.env["PATH"] = [join(root, "node_modules", ".bin"), stdout.trim()].join(delimiter);
  })();
  return found;
}

/** Runs pnpm, without asking that it be installed. */
export async function pnpm(args, options) {
  await preparePath();
  return run("pnpm", args, options);
}

/** Runs a command and ends this process if it fails. */
export async function must(promise, what) {
  const code = await promise;
  if (code !== 0) {
    process.stderr.write(`\n${what} failed (exit code ${code}).\n`);
    process.exit(code);
  }
}

/**
 * Installs what the lockfile names, for all members of the workspace: on an empty store a full install takes a fifth of the time of one that is
 * filtered to a few members, as pnpm fetches in a slower way once a filter is given.
 */
export function install() {
  return must(pnpm(["install", "--frozen-lockfile", "--reporter=silent"]), "Installing");
}

/** Builds a member of the workspace and what it depends on, or takes them from the cache. */
export async function build(member) {
  await preparePath();
  const args = [join(root, "tools/run/build.mjs"), member];
  return must(run(process.execPath, args, { quiet: true }), "Building");
}
