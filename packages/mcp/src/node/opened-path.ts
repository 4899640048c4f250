import { lstat, readlink, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/** The identity of a file, independent of its path. */
export interface FileId {
  readonly ino: bigint;
  readonly dev: bigint;
}

/**
 * The path under which the kernel knows an open file (Linux); `undefined` where the platform does
 * not tell.
 *
 * @param opened - The identity of the file. Some runtimes number their handles themselves, and then
 *   the entry belongs to another file.
 */
export async function pathOf({ fd }: FileHandle, opened: FileId): Promise<string | undefined> {
  const link = `/proc/self/fd/${fd}`;
  try {
    const [path, meant] = await Promise.all([readlink(link), stat(link, { bigint: true })]);
    return meant.ino === opened.ino && meant.dev === opened.dev ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The identities and times of change of all folders from `base` down to a file, as text;
 * `undefined` if one of them is not a folder.
 */
export async function foldersOf(base: string, file: string): Promise<string | undefined> {
  const known: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = await lstat(folder, { bigint: true });
    if (!found.isDirectory()) {
      return undefined;
    }
    // Renaming changes the time of the folder that holds the name, so a folder that was away and is
    // back again differs too.
    known.push(`${found.dev} ${found.ino} ${found.mtimeNs} ${found.ctimeNs}`);
    if (folder === base || folder === dirname(folder)) {
      return known.join();
    }
  }
}
