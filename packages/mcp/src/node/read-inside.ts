import { constants } from "node:fs";
import { lstat, open, readdir, realpath, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { isInside } from "./file-path.ts";
import { foldersOf, pathOf, type FileId } from "./opened-path.ts";

/** A file that was read. */
export interface FoundFile {
  /** Its real path. */
  readonly path: string;
  /** `undefined` if it is too large. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * A device or pipe must not block, and the last segment must still be what it was resolved to. Not
 * all platforms have both flags.
 */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a regular file below a folder; `undefined` if there is none, or if the way to it leads out
 * of the folder. Symbolic links within the folder are followed. The kernel names the file that was
 * opened. A folder that another process replaces by a link while the path is resolved therefore
 * never leads outside. Where the kernel does not name it, the file counts only if none of its
 * folders changed between two looks around the second `open`, and both opened the same file.
 *
 * Names are compared exactly, although the file systems of macOS and Windows find files by other
 * spellings: rules about URIs could be evaded by them.
 *
 * @param base - A real path.
 * @param nameOf - Returns the path of an open file; `undefined` where the platform cannot.
 * @param resolve - Finds a file as the file system does, and returns its real path.
 */
export async function readInside(
  base: string,
  segments: readonly string[],
  maxBytes: number,
  nameOf: typeof pathOf = pathOf,
  resolve: (path: string) => Promise<string> = realpath,
): Promise<FoundFile | undefined> {
  const asked = join(base, ...segments);
  let handle: FileHandle | undefined;
  try {
    const path = await resolve(asked);
    if (!isInside(base, path) || (path !== asked && !(await isExact(base, segments, resolve)))) {
      return undefined;
    }
    handle = await open(path, flags);
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) {
      return undefined;
    }
    const name = await nameOf(handle, opened);
    if (name === undefined ? !(await isStill(base, path, opened)) : name !== path) {
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

/**
 * Whether each segment is the exact name of a file, folder or link: not in other case, in another
 * Unicode form, or shortened. Called only if the path leads through a link, or is not exact.
 */
async function isExact(
  base: string,
  segments: readonly string[],
  resolve: (path: string) => Promise<string>,
): Promise<boolean> {
  let folder = base;
  for (const segment of segments) {
    const found = await resolve(join(folder, segment));
    if (found !== join(folder, segment)) {
      // The name of a link does not appear in its real path.
      const isLink = (await lstat(join(folder, segment)).catch(() => undefined))?.isSymbolicLink() === true;
      if (!isLink || !(await readdir(folder)).includes(segment)) {
        return false;
      }
    }
    folder = found;
  }
  return true;
}

/** Whether a path leads through unchanged folders to a file that was opened before. */
async function isStill(base: string, path: string, opened: FileId): Promise<boolean> {
  const before = await foldersOf(base, path);
  const again = await open(path, flags);
  try {
    const { ino, dev } = await again.stat({ bigint: true });
    return (
      ino === opened.ino &&
      dev === opened.dev &&
      before !== undefined &&
      before === (await foldersOf(base, path))
    );
  } finally {
    await again.close();
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
