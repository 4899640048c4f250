import { readdirSync, statSync, type Dirent } from "node:fs";
import { join, relative } from "node:path";

import type { Finding } from "../finding.ts";
import { buildsItself, type PackageFacts } from "../package/read.ts";

/** Files that are compared. The times of others are unknown. */
const maxCompared = 20_000;

/**
 * A warning if a source is newer than everything in the folder of the built program, so that the
 * program does not have the latest changes.
 */
export function staleFindings(facts: PackageFacts, entry: string): readonly Finding[] {
  const { folder } = facts;
  const program = relative(folder, entry).replaceAll("\\", "/");
  const [output = "", ...below] = program.split("/");
  if (!buildsItself(facts) || below.length === 0 || output === ".." || output === "src") {
    return [];
  }
  const hasSources = entriesOf(folder).some((each) => each.name === "src" && each.isDirectory());
  const source = hasSources
    ? newest(join(folder, "src"), (name) => /\.(?:[cm]?[jt]sx?|json)$/.test(name))
    : newest(folder, (name) => /\.[cm]?tsx?$/.test(name) && !/\.(?:d|config)\.[cm]?ts$/.test(name), output);
  const built = newest(join(folder, output), () => true);
  if (source === undefined || built === undefined || source.time <= built.time) {
    return [];
  }
  const changed = relative(folder, source.path).replaceAll("\\", "/");
  return [
    { path: program, severity: "warning", message: `is older than ${changed}: run \`npm run build\` first` },
  ];
}

interface Dated {
  readonly path: string;
  readonly time: number;
}

/** The file of a folder that was written last. Tests and installed packages do not count. */
function newest(root: string, counts: (name: string) => boolean, omitted?: string): Dated | undefined {
  let found: Dated | undefined;
  let compared = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      compared += 1;
      if (compared > maxCompared) {
        return undefined;
      }
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!/^(?:\.|node_modules$|tests?$|__tests__$)/.test(entry.name) && entry.name !== omitted) {
          folders.push(path);
        }
      } else if (counts(entry.name) && !/\.(?:test|spec)\.\w+$/.test(entry.name)) {
        const time = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        found = found === undefined || time > found.time ? { path, time } : found;
      }
    }
  }
  return found;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder cannot be read, so nothing is known about it.
    return [];
  }
}
