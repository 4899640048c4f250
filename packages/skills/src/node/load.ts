import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";

import { kindOf } from "@tenon/base";

import type { Skill } from "../server/skill.ts";
import { manifestName, maxBytes, maxFiles } from "../wire/entry.ts";
import { SkillError } from "../wire/error.ts";

/** Options of {@link loadSkills}. */
export interface LoadOptions {
  /** The start of every skill's path, such as `acme`. By default the path in the folder alone. */
  readonly prefix?: string | undefined;
  /** Called with a description of each file or folder that is left out. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Maximum number of folders between the root and a file. */
const maxDepth = 16;

/**
 * Reads all folders below `root` that have a `SKILL.md`. Symbolic links and files whose name begins
 * with a dot are left out with a warning. A skill in the folder of another skill belongs to that
 * skill's files.
 *
 * @returns The skills for `createSkillCatalog`.
 * @throws The error of the file system; `SkillError` `INVALID_SKILL` for a skill with too many
 *   files or bytes.
 */
export async function loadSkills(
  root: string,
  { prefix, onWarning = (message) => console.warn(message) }: LoadOptions = {},
): Promise<readonly Skill[]> {
  if (typeof root !== "string") {
    throw new TypeError(`loadSkills needs the path of a folder, a string; got ${kindOf(root)}.`);
  }
  const skills: Skill[] = [];
  const visit = async (folder: string, parts: readonly string[]): Promise<void> => {
    const children = await childrenOf(folder, onWarning);
    if (children.files.includes(manifestName)) {
      const path = [...(prefix === undefined ? [] : [prefix]), ...parts].join("/");
      skills.push({ path, files: await filesOf(folder, path, onWarning) });
      return;
    }
    if (parts.length >= maxDepth) {
      onWarning(`The folder ${folder} is left out: it is more than ${maxDepth} folders deep.`);
      return;
    }
    for (const name of children.folders) {
      await visit(join(folder, name), [...parts, name]);
    }
  };
  await visit(await realpath(root), []);
  return skills;
}

async function filesOf(
  root: string,
  path: string,
  onWarning: (message: string) => void,
): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  let count = 0;
  let bytes = 0;
  const visit = async (folder: string, parts: readonly string[]): Promise<void> => {
    const children = await childrenOf(folder, onWarning);
    for (const name of children.files) {
      const file = join(folder, name);
      bytes += (await lstat(file)).size;
      count++;
      if (count > maxFiles || bytes > maxBytes) {
        const message = `Skill ${path} must have at most ${maxFiles} files and ${maxBytes} bytes.`;
        throw new SkillError("INVALID_SKILL", message);
      }
      files[[...parts, name].join("/")] = await readFile(file);
    }
    for (const name of children.folders) {
      const child = join(folder, name);
      if (parts.length >= maxDepth) {
        onWarning(`The folder ${child} is left out: it is more than ${maxDepth} folders deep in its skill.`);
      } else {
        await visit(child, [...parts, name]);
      }
    }
  };
  await visit(root, []);
  return files;
}

async function childrenOf(
  folder: string,
  onWarning: (message: string) => void,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const kept = entries.filter((entry) => {
    const reason = entry.name.startsWith(".")
      ? "its name begins with a dot"
      : entry.isFile() || entry.isDirectory()
        ? undefined
        : "it is not a plain file or folder";
    if (reason !== undefined) {
      onWarning(`${join(folder, entry.name)} is left out: ${reason}.`);
    }
    return reason === undefined;
  });
  const namesOf = (isFile: boolean): readonly string[] =>
    kept
      .filter((entry) => entry.isFile() === isFile)
      .map(({ name }) => name)
      .toSorted();
  return { files: namesOf(true), folders: namesOf(false) };
}
