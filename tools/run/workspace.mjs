// What the scripts at the root share: they must run on a fresh machine with Node and npm alone.
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const windows = process.platform === "win32";

/** Runs a command in the root folder; resolves with its exit code. */
export function run(command, args, { quiet = false, interactive = false, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, DO_NOT_TRACK: "1", ...env },
      shell: windows,
      stdio: [interactive ? "inherit" : "ignore", quiet ? "ignore" : "inherit", "inherit"],
    });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Runs pnpm in the version that the workspace is made for, without asking that it be installed. */
export function pnpm(args, options) {
  return run("npx", ["-y", "pnpm@12.21.0", ...args], options);
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
export function build(member) {
  const args = ["exec", "turbo", "run", "build", `--filter=${member}...`, "--output-logs=errors-only"];
  return must(pnpm(args, { quiet: true }), "Building");
}
