import child_process from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readers = [
  "readFileSync",
  "readFile",
  "createReadStream",
  "openSync",
  "copyFileSync",
  "cpSync",
] as const;
const promised = ["readFile", "open", "copyFile", "cp"] as const;
const starters = ["spawn", "spawnSync", "execFile", "execFileSync", "fork"] as const;

/** The path of a file below the root, with slashes on every platform. */
const toPath = (file: string): string => relative(root, file).split(sep).join("/");

/** The paths below the root that the tests of a file have read, or given to a child process. */
const read = new Set<string>();

function note(value: unknown): void {
  if (value instanceof URL ? value.protocol === "file:" : typeof value === "string") {
    const path = value instanceof URL ? fileURLToPath(value) : String(value).replace(/^file:\/\//, "");
    const below = toPath(path);
    if (path.startsWith(root) && below !== "" && !/(?:^|\/)node_modules(?:\/|$)/.test(below)) {
      read.add(below);
    }
  }
}

function watch(target: object, names: readonly string[], noteOf: (args: readonly unknown[]) => void): void {
  const members = target as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const original = members[name];
    if (original !== undefined) {
      const watched = (...args: unknown[]): unknown => {
        noteOf(args);
        return original.apply(target, args);
      };
      // `util.promisify` finds its own version of some functions by a symbol.
      members[name] = Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
    }
  }
}

/**
 * Records what tests read, in the file that `TENON_READS` names: a line for each path, after the path
 * of the test file.
 */
export function recordReads(file: string): void {
  if (!isWatching) {
    isWatching = true;
    watchAll();
  }
  afterAll(() => {
    const test = toPath(expect.getState().testPath ?? "");
    const lines = [...read].map((path) => `${test}\t${path}\n`);
    read.clear();
    fs.appendFileSync(file, lines.join(""));
  });
}

/** All test files of a worker share its modules, so the functions are wrapped only once. */
let isWatching = false;

function watchAll(): void {
  watch(fs, readers, ([path]) => note(path));
  watch(fs.promises, promised, ([path]) => note(path));
  watch(child_process, starters, (args) =>
    [args[0], ...(Array.isArray(args[1]) ? args[1] : [])].forEach(note),
  );
  syncBuiltinESMExports();
}
