import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { gen } from "./generate.ts";
import type { GeneratedFiles } from "./generate.ts";

/**
 * Files whose committed text is not what the generator makes: missing, different, or not generated
 * at all.
 */
export function staleFiles(files: GeneratedFiles, root: string): string[] {
  const wrong = [...files].filter(([path, text]) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, "utf8") !== text;
  });
  const stray = listFiles(join(root, gen)).map((path) => `${gen}/${path}`);
  return [...wrong.map(([path]) => path), ...stray.filter((path) => !files.has(path))].sort();
}

/**
 * Writes what is stale and removes strays from the folder of generated code; returns the paths it
 * touched.
 */
export function writeFiles(files: GeneratedFiles, root: string): string[] {
  const stale = staleFiles(files, root);
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
