import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";

/**
 * A program whose relative paths of files are absolute, because hosts start programs in another
 * folder.
 */
export function withFullPaths(program: readonly string[], cwd: string): readonly string[] {
  return program.map((word, index) => {
    const isPath = index > 0 || /[\\/]/.test(word);
    const path = resolve(cwd, word);
    return isPath && !isAbsolute(word) && !word.startsWith("-") && isThere(path) ? path : word;
  });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
