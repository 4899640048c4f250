import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** The paths of all files below a folder. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(folder, join(file.parentPath, file.name)).replaceAll("\\", "/"))
    .toSorted();
}
