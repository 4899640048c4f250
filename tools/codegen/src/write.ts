import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { gen } from "./generate.ts";
import type { GeneratedFiles } from "./generate.ts";

/**
 * Files whose committed text is not what the generator makes: missing, different, or not generated
 * at all.
 *
 * @param owned - The folder below `root` that holds generated files and nothing else; `""` if there
 *   is none.
 */
export function staleFiles(files: GeneratedFiles, root: string, owned = gen): string[] {
  const wrong = [...files].filter(([path, text]) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, "utf8") !== text;
  });
  const stray = owned === "" ? [] : listFiles(join(root, owned)).map((path) => `${owned}/${path}`);
  return [...wrong.map(([path]) => path), ...stray.filter((path) => !files.has(path))].sort();
}

/**
 * Writes what is stale and removes strays from the folder of generated code; returns the paths it
 * touched.
 */
export function writeFiles(files: GeneratedFiles, root: string, owned = gen): string[] {
  const stale = staleFiles(files, root, owned);
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

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}
