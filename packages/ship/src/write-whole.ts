import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";

/** Creates a file, which must not exist, and follows no link. Windows has no flag for links. */
const exclusively = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Creates or replaces a file. The data is first in a file of a random name, so that a reader never
 * sees half of it, and nothing is written through a link that another user or a repository has
 * planted.
 *
 * @param check - Called with the path of the complete new file, before it is renamed. The file at
 *   `path` stays if it throws.
 */
export async function writeWhole(
  path: string,
  data: string | Uint8Array,
  mode: number,
  check?: (made: string) => void,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, exclusively, mode);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    check?.(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
