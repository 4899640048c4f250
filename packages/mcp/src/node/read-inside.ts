import { constants } from "node:fs";
import { lstat, open, realpath, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { isInside } from "./file-path.ts";

/** A file that was read. */
export interface FoundFile {
  /** Its real path. */
  readonly path: string;
  /** `undefined` if it is too large. */
  readonly bytes: Uint8Array | undefined;
}

/** A device or pipe must not block, and the last segment must still be what it was resolved to. Not all platforms have both flags. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a regular file below a folder; `undefined` if there is none, or if the way to it leads out of the folder. Symbolic links within the folder are followed.
 * What was opened is compared with what the path leads to afterwards, so that a folder which is swapped for a link meanwhile is found out.
 *
 * @param base - A real path.
 */
export async function readInside(
  base: string,
  segments: readonly string[],
  maxBytes: number,
): Promise<FoundFile | undefined> {
  const asked = join(base, ...segments);
  let handle: FileHandle | undefined;
  try {
    const path = await realpath(asked);
    if (!isInside(base, path)) {
      return undefined;
    }
    handle = await open(path, flags);
    const opened = await handle.stat();
    const now = await lstat(path);
    const isSame = opened.ino === now.ino && opened.dev === now.dev && (await realpath(asked)) === path;
    if (!opened.isFile() || !isSame) {
      return undefined;
    }
    return { path, bytes: opened.size > maxBytes ? undefined : await readAtMost(handle, maxBytes) };
  } catch (error) {
    if (isAbsent(error)) {
      return undefined;
    }
    throw error;
  } finally {
    await handle?.close();
  }
}

/** The bytes; `undefined` if the file has grown beyond the limit since it was measured. */
async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(64 * 1024) });
    if (bytesRead === 0) {
      return Buffer.concat(chunks);
    }
    size += bytesRead;
    if (size > maxBytes) {
      return undefined;
    }
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

const absent = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EISDIR",
  "ENAMETOOLONG",
  "ENXIO",
  "EACCES",
  "EPERM",
  "EINVAL",
]);

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && absent.has(String(error.code));
}
