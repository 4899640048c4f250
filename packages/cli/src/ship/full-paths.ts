import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";

/**
 * A program whose relative paths are absolute, because hosts start programs in another folder. A
 * word without a separator is a path if it names a file: the name of a folder is often the name of
 * a module too, as in `python -m notes`.
 */
export function withFullPaths(program: readonly string[], cwd: string): readonly string[] {
  return program.map((word, index) => {
    if (word === "" || word.startsWith("-") || isAbsolute(word)) {
      return word;
    }
    const path = resolve(cwd, word);
    const kind = kindOf(path);
    const isPath = /[\\/]|^\.\.?$/.test(word) ? kind !== undefined : index > 0 && kind === "file";
    return isPath ? path : word;
  });
}

function kindOf(path: string): "file" | "other" | undefined {
  try {
    return statSync(path).isFile() ? "file" : "other";
  } catch {
    // Not every word can be a path: some are too long.
    return undefined;
  }
}
