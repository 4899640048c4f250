import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the path of the first of these programs that is on the PATH. */
export function findProgram(...programs: readonly string[]): string | undefined {
  const { PATH: path = "" } = process.env;
  return path
    .split(delimiter)
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
