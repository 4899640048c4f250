import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { gen } from "./generate.ts";
import type { GeneratedFiles } from "./generate.ts";

/** A file whose text is not what the generator makes. */
export interface StaleFile {
  readonly path: string;
  /** The first line that differs, expected and found, or why there is none; lines for people. */
  readonly difference: readonly string[];
}

/**
 * Files whose committed text is not what the generator makes: missing, different, or not generated
 * at all. Line ends do not count: Git writes CRLF on Windows.
 *
 * @param owned - The folder below `root` that holds generated files and nothing else; `""` if there
 *   is none.
 */
export function staleFiles(files: GeneratedFiles, root: string, owned = gen): StaleFile[] {
  const wrong = [...files].flatMap(([path, text]) => {
    const difference = differenceOf(join(root, path), text);
    return difference === undefined ? [] : [{ path, difference }];
  });
  const stray = owned === "" ? [] : listFiles(join(root, owned)).map((path) => `${owned}/${path}`);
  return [
    ...wrong,
    ...stray
      .filter((path) => !files.has(path))
      .map((path) => ({ path, difference: ["the generator does not write this file"] })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Writes what is stale and removes strays from the folder of generated code; returns the paths it
 * touched.
 */
export function writeFiles(files: GeneratedFiles, root: string, owned = gen): string[] {
  const stale = staleFiles(files, root, owned).map(({ path }) => path);
  for (const path of stale) {
    const text = files.get(path);
    if (text === undefined) {
      rmSync(join(root, path));
      continue;
    }
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return stale;
}

function differenceOf(file: string, text: string): string[] | undefined {
  if (!existsSync(file)) {
    return ["the file does not exist"];
  }
  const expected = linesOf(text);
  const found = linesOf(readFileSync(file, "utf8"));
  const length = Math.max(expected.length, found.length);
  for (let index = 0; index < length; index += 1) {
    if (expected[index] !== found[index]) {
      return [
        `line ${index + 1}: expected ${shownLine(expected[index])}`,
        `line ${index + 1}: found    ${shownLine(found[index])}`,
      ];
    }
  }
  return undefined;
}

function linesOf(text: string): string[] {
  return text.replaceAll("\r\n", "\n").split("\n");
}

const maxShown = 160;

function shownLine(line: string | undefined): string {
  if (line === undefined) {
    return "the end of the file";
  }
  return line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`;
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}
