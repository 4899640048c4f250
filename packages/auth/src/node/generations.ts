import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "@tenon/base";

import { AuthError } from "../shared/error.ts";

/**
 * A directory of small files with generations: the content of generation n is the file
 * `<hash of its name>.<n>`, and the highest generation counts. A file is never changed, and a
 * generation is created once, by whoever is first. So a writer that was suspended and continues
 * late cannot replace what was written since.
 */
export interface Generations {
  /** Returns the highest generation, 0 if there is none, and its text. */
  read(name: string): Promise<{ readonly generation: number; readonly text: string | undefined }>;
  /**
   * Creates a generation and deletes earlier ones. Returns false if this generation or a higher one
   * exists.
   *
   * @param durable - Whether the text must survive a power failure.
   */
  create(name: string, generation: number, text: string, durable: boolean): Promise<boolean>;
  /** Deletes the files that a killed process has left, and files for which `isOld` returns true. */
  sweep(isOld: (text: string) => boolean): Promise<void>;
}

/** Maximum size of a file, in bytes. */
const maxBytes = 256 * 1024;
/** Maximum number of files. */
const maxFiles = 20_000;
/** A file may be replaced by a higher generation while it is opened, this many times in a row. */
const maxReads = 100;
/** Age after which a temporary file belongs to no running writer, in milliseconds. */
const abandonedMs = 3_600_000;

const pattern = /^([0-9a-f]{64})\.(\d{1,15})$/;
/** Windows has neither owners nor modes: the user's directory is protected as a whole. */
const hasOwners = process.getuid !== undefined;
const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * Opens or creates the directory. @throws `AuthError` `AUTH_STORE_FAILED` if others can read or
 * change it.
 */
export async function openGenerations(directory: string): Promise<Generations> {
  await attempt("create", directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  await attempt("check", directory, async () => {
    const { mode, uid } = await lstat(directory);
    checkOwner(directory, mode, uid, (mode & constants.S_IFMT) === constants.S_IFDIR);
  });

  async function list(): Promise<readonly string[]> {
    const names = await attempt("list", directory, () => readdir(directory));
    if (names.length > maxFiles) {
      throw failed(`The directory ${directory} holds more than ${maxFiles} files.`);
    }
    return names;
  }

  async function generationsOf(hash: string): Promise<readonly number[]> {
    const found = (await list()).flatMap((name) => {
      const [, own, generation] = pattern.exec(name) ?? [];
      return own === hash ? [Number(generation)] : [];
    });
    return found.toSorted((one, other) => other - one);
  }

  async function readFile(path: string): Promise<string | undefined> {
    let handle;
    try {
      handle = await open(path, constants.O_RDONLY | noFollow);
    } catch (error) {
      if (codeOf(error) === "ENOENT") {
        return undefined;
      }
      throw failed(`Cannot open ${path}. A symbolic link is not followed.`, error);
    }
    try {
      const { mode, uid, size } = await handle.stat();
      checkOwner(path, mode, uid, (mode & constants.S_IFMT) === constants.S_IFREG);
      return size > maxBytes ? "" : await attempt("read", path, () => handle.readFile("utf8"));
    } finally {
      await handle.close();
    }
  }

  /**
   * Writes a file that no other process sees yet, under its final name. @returns Whether the name
   * was free.
   */
  async function publish(path: string, text: string, durable: boolean): Promise<boolean> {
    const temporary = join(directory, `${randomUUID()}.tmp`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;
    try {
      const handle = await open(temporary, flags, 0o600);
      try {
        await handle.writeFile(text);
        if (durable) {
          await handle.sync();
        }
      } finally {
        await handle.close();
      }
      await link(temporary, path);
    } catch (error) {
      if (codeOf(error) === "EEXIST") {
        return false;
      }
      throw failed(`Cannot write ${path}.`, error);
    } finally {
      await unlink(temporary).catch(() => {});
    }
    return true;
  }

  async function syncDirectory(): Promise<void> {
    if (hasOwners) {
      const handle = await open(directory, constants.O_RDONLY);
      // Some file systems cannot do this, and need not.
      await handle.sync().catch(() => {});
      await handle.close();
    }
  }

  return {
    async read(name) {
      const hash = hashOf(name);
      for (let look = 0; look < maxReads; look++) {
        const [generation = 0] = await generationsOf(hash);
        const text = generation === 0 ? undefined : await readFile(join(directory, `${hash}.${generation}`));
        if (generation === 0 || text !== undefined) {
          return { generation, text };
        }
      }
      throw failed(`A file in ${directory} was replaced ${maxReads} times while it was read.`);
    },
    async create(name, generation, text, durable) {
      const hash = hashOf(name);
      const path = join(directory, `${hash}.${generation}`);
      if (!(await publish(path, text, durable))) {
        return false;
      }
      const [highest, ...lower] = await generationsOf(hash);
      if (highest !== generation) {
        await unlink(path).catch(() => {});
        return false;
      }
      if (durable) {
        await attempt("write", directory, syncDirectory);
      }
      await Promise.all(lower.map((old) => unlink(join(directory, `${hash}.${old}`)).catch(() => {})));
      return true;
    },
    async sweep(isOld) {
      const names = await list();
      for (const name of names.filter((each) => each.endsWith(".tmp"))) {
        const path = join(directory, name);
        const age = await lstat(path).then(
          ({ mtimeMs }) => Date.now() - mtimeMs,
          () => 0,
        );
        if (age > abandonedMs) {
          await unlink(path).catch(() => {});
        }
      }
      for (const hash of new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))) {
        const [highest, ...lower] = await generationsOf(hash);
        // Lower ones first: they would count again.
        await Promise.all(lower.map((old) => unlink(join(directory, `${hash}.${old}`)).catch(() => {})));
        const path = join(directory, `${hash}.${highest}`);
        const text = await readFile(path).catch(() => undefined);
        if (text !== undefined && isOld(text)) {
          await unlink(path).catch(() => {});
        }
      }
    },
  };
}

function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

/**
 * @throws `AuthError` `AUTH_STORE_FAILED` unless the file is of the right kind and belongs to this
 *   user alone.
 */
function checkOwner(path: string, mode: number, uid: number, isRightKind: boolean): void {
  if (!isRightKind || (hasOwners && (uid !== process.getuid?.() || (mode & 0o077) !== 0))) {
    throw failed(
      `${path} must belong to this user, and must not be readable for other users (mode 0700 for the directory, 0600 for its files); got mode ${(mode & 0o7777).toString(8)}.`,
    );
  }
}

async function attempt<T>(verb: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof AuthError ? error : failed(`Cannot ${verb} ${path}.`, error);
  }
}

function failed(message: string, cause?: unknown): AuthError {
  return new AuthError("AUTH_STORE_FAILED", message, { cause });
}
