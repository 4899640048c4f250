import type { Stats } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import { hasCode } from "@tenon/base";

/** Opens a file. Tests replace it to make a disk fail. */
export type OpenFile = (path: string, flags: string, mode?: number) => Promise<FileHandle>;

/** Length of the text that is written at a time when a log is rewritten, in characters. */
const chunkLength = 1 << 20;

/** A file to which lines are appended. One call at a time. */
export class LogFile {
  readonly #path: string;
  readonly #open: OpenFile;
  #file: FileHandle;
  #length: number;
  /** Whether there may be something after the last good line. */
  #hasRest: boolean;

  private constructor(path: string, openFile: OpenFile, file: FileHandle, length: number, hasRest: boolean) {
    this.#path = path;
    this.#open = openFile;
    this.#file = file;
    this.#length = length;
    this.#hasRest = hasRest;
  }

  /**
   * Opens a log, which is created if it does not exist.
   *
   * @param lengthOf - Returns how many of the bytes are good.
   */
  static async open(
    path: string,
    openFile: OpenFile,
    lengthOf: (bytes: Uint8Array) => number,
  ): Promise<LogFile> {
    // "a+" would write at the end whatever the position, also behind a line that was cut off.
    const file = await openFile(path, "r+", 0o600).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) {
        return openFile(path, "wx+", 0o600);
      }
      throw error;
    });
    try {
      checkWriters(path, await file.stat());
      const bytes = await file.readFile();
      const length = lengthOf(bytes);
      return new LogFile(path, openFile, file, length, length < bytes.length);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Length of the good lines, in bytes. */
  get length(): number {
    return this.#length;
  }

  /**
   * Appends lines. If it fails, none of them is in the log, now or after a restart.
   *
   * @param isDurable - Whether to wait until they survive a failure of power.
   */
  async append(lines: string, isDurable: boolean): Promise<void> {
    if (this.#hasRest) {
      await this.#file.truncate(this.#length);
      this.#hasRest = false;
    }
    const bytes = Buffer.from(lines);
    try {
      await writeAll(this.#file, bytes, this.#length);
      if (isDurable) {
        await this.#file.datasync();
      }
    } catch (error) {
      this.#hasRest = true;
      // If this fails too, it is tried again before the next lines are written.
      await this.#file
        .truncate(this.#length)
        .then(() => {
          this.#hasRest = false;
        })
        .catch(() => undefined);
      throw error;
    }
    this.#length += bytes.length;
  }

  /** Replaces all lines. If it fails, the log is as before. */
  async replace(lines: Iterable<string>): Promise<void> {
    const path = `${this.#path}.new`;
    // The file of a process that was killed is not reused, and no link is followed.
    await unlink(path).catch(() => undefined);
    const file = await this.#open(path, "wx+", 0o600);
    let length = 0;
    try {
      let chunk = "";
      const flush = async (): Promise<void> => {
        const bytes = Buffer.from(chunk);
        await writeAll(file, bytes, length);
        length += bytes.length;
        chunk = "";
      };
      for (const line of lines) {
        chunk += line;
        if (chunk.length >= chunkLength) {
          await flush();
        }
      }
      await flush();
      await file.datasync();
      await rename(path, this.#path);
    } catch (error) {
      await file.close();
      await unlink(path).catch(() => undefined);
      throw error;
    }
    const old = this.#file;
    this.#file = file;
    this.#length = length;
    this.#hasRest = false;
    await old.close();
    await syncFolder(this.#path);
  }

  /** Closes the file. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** @throws `Error` if other users of this machine can write the log: its tasks might be theirs. */
function checkWriters(path: string, { mode, uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) {
    return;
  }
  // The owner of a file can change its mode at any time. Root can write every file.
  if (uid !== own && uid !== 0) {
    throw new Error(
      `${path} must belong to the user that runs this process (${own}) or to root; got user ${uid}. Check its tasks, then run chown.`,
    );
  }
  if ((mode & 0o022) !== 0) {
    throw new Error(
      `${path} must not be writable for other users (mode 0600); got mode ${(mode & 0o7777).toString(8)}. Check its tasks, then run chmod 600.`,
    );
  }
}

/** Makes the entry of a file in its folder durable, where the platform has that. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r").catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    // Windows cannot sync a folder and does not need to.
  } finally {
    await folder?.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
