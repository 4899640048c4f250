import { randomUUID } from "node:crypto";
import { link, readdir, readFile, readlink, truncate, unlink, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { hasCode, isRecord } from "@tenon/base";

import { TaskError } from "../error.ts";
import { holdLease, isRenewed, type Lease, type LeaseTimes } from "./lease.ts";

/** Maximum number of attempts while other processes change the locks. */
const maxAttempts = 20;

/** Identifies a process, even if a later process has the same number. */
interface Holder {
  readonly pid: number;
  /** Since which boot, and when the process started, as far as the platform tells. */
  readonly start: string;
  /**
   * The PID namespace in which `pid` is the number: containers have namespaces of their own. `""`
   * where the platform has none. Former versions did not write it.
   */
  readonly space?: string | undefined;
}

/** A lock that this process has. */
export interface Lock extends Pick<Lease, "verify"> {
  /** Releases the lock. */
  release(): Promise<void>;
}

/**
 * Creates a lock file that names this process: `path`, a dot and a number. The file with the
 * greatest number counts, and numbers only grow, because the next file is created before earlier
 * ones are deleted. So a process that has looked at an old file cannot replace a newer file.
 *
 * Whether a process lives can be seen only from its own PID namespace. For others, the holder
 * renews the time of the file: a file that was not renewed for `leaseMs` is free.
 *
 * @throws `TaskError` `STORE_LOCKED` if a process that lives has it.
 */
export async function lock(path: string, times?: Partial<LeaseTimes>): Promise<Lock> {
  const temporary = `${path}.${randomUUID()}`;
  const own: Holder = {
    pid: process.pid,
    start: (await statOf(process.pid))?.start ?? "",
    space: await spaceOfProcesses(),
  };
  try {
    await writeFile(temporary, JSON.stringify(own), { mode: 0o600 });
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const last = Math.max(0, ...(await numbersOf(path)));
      await requireFree(`${path}.${last}`, own, times);
      const file = `${path}.${last + 1}`;
      if (await linked(temporary, file)) {
        const numbers = await numbersOf(path);
        if (Math.max(...numbers) === last + 1) {
          await Promise.all(
            numbers.filter((number) => number <= last).map((number) => removed(`${path}.${number}`)),
          );
          const lease = holdLease(file, times);
          return {
            verify: () => lease.verify(),
            release: async () => {
              lease.stop();
              await release(file);
            },
          };
        }
        await removed(file);
      }
    }
    throw new TaskError("STORE_LOCKED", `Other processes keep taking ${path}.`);
  } finally {
    await removed(temporary);
  }
}

/** Numbers of the lock files. */
async function numbersOf(path: string): Promise<readonly number[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
}

/** @throws `TaskError` `STORE_LOCKED` if a lock file names a process that lives. */
async function requireFree(path: string, own: Holder, times?: Partial<LeaseTimes>): Promise<void> {
  const found = await textOf(path);
  const holder = found === undefined ? undefined : holderOf(found);
  if (holder === undefined) {
    return;
  }
  const { space = own.space, start, pid } = holder;
  const isHere = space === own.space && (holder.space === undefined || bootOf(start) === bootOf(own.start));
  if (isHere ? await isAlive(holder) : await isRenewed(path, bootOf(start) === bootOf(own.start), times)) {
    const where = isHere ? "" : " of another container or machine";
    throw new TaskError(
      "STORE_LOCKED",
      `Task store is used by process ${pid}${where}; only one process may use it (${path}).`,
    );
  }
}

/** The boot of the machine in the start of a process. */
function bootOf(start: string): string | undefined {
  return start.split(" ")[0];
}

async function spaceOfProcesses(): Promise<string> {
  try {
    return await readlink("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * Empties a lock file, which then names no process. The file stays, so that its number is not used
 * again. A full disk has room for this, but none for another file.
 */
async function release(path: string): Promise<void> {
  try {
    await truncate(path);
  } catch (error) {
    // Another process has taken the lock.
    if (!hasCode(error, "ENOENT")) {
      throw error;
    }
  }
}

/** Links a file to another name atomically. @returns False if the name exists. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      return false;
    }
    throw error;
  }
}

async function removed(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) {
      throw error;
    }
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) {
      return undefined;
    }
    const { pid, start, space } = value;
    return typeof pid === "number" && typeof start === "string"
      ? { pid, start, space: typeof space === "string" ? space : undefined }
      : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive({ pid, start }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists too.
    if (!hasCode(error, "EPERM")) {
      return false;
    }
  }
  const now = await statOf(pid);
  // A zombie has ended, and its files are closed: only its parent has not read its exit code.
  return now === undefined || (!now.hasEnded && (start === "" || now.start === start));
}

/**
 * Whether a process has ended, and when it started, since which boot; `undefined` if the platform
 * does not tell.
 */
async function statOf(
  pid: number,
): Promise<{ readonly hasEnded: boolean; readonly start: string } | undefined> {
  const stat = await textOf(`/proc/${pid}/stat`);
  const boot = await textOf("/proc/sys/kernel/random/boot_id");
  // The name of the program is in parentheses and may contain anything. The state is field 3, the
  // start field 22.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const [state, start] = [fields[0], fields[19]];
  return start === undefined || boot === undefined
    ? undefined
    : { hasEnded: state === "Z" || state === "X", start: `${boot.trim()} ${start}` };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ESRCH")) {
      return undefined;
    }
    throw error;
  }
}
