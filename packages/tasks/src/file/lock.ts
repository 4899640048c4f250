import { randomUUID } from "node:crypto";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";

import { isRecord } from "@tenon/jsonrpc2/transport";

import { TaskError } from "../error.ts";

/** Maximum number of attempts to take over an abandoned lock. */
const maxAttempts = 10;

/** Identifies a process, even if a later process has the same number. */
interface Holder {
  readonly pid: number;
  /** When the process started, as far as the platform tells. */
  readonly start: string;
}

/**
 * Creates a lock file that names this process.
 *
 * @returns What removes it.
 * @throws `TaskError` `STORE_LOCKED` if a process that lives has it.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = JSON.stringify({
    pid: process.pid,
    start: (await startOf(process.pid)) ?? "",
    id: randomUUID(),
  });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, own, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        // Unlike writing a file, this shows others no half of it.
        await link(temporary, path);
        return async () => {
          if ((await textOf(path)) === own) {
            await unlink(path);
          }
        };
      } catch (error) {
        if (!hasCode(error, "EEXIST")) {
          throw error;
        }
      }
      await takeAway(path);
    }
    throw new TaskError("STORE_LOCKED", `Other processes keep taking ${path}.`);
  } finally {
    await unlink(temporary);
  }
}

/** Removes the lock of a process that has ended. */
async function takeAway(path: string): Promise<void> {
  const found = await textOf(path);
  const holder = found === undefined ? undefined : holderOf(found);
  if (holder !== undefined && (await isAlive(holder))) {
    throw new TaskError(
      "STORE_LOCKED",
      `Task store is used by process ${holder.pid}; only one process may use it (${path}).`,
    );
  }
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) {
      return;
    }
    throw error;
  }
  if ((await textOf(aside)) !== found) {
    // Another process was faster, and this is its lock.
    await link(aside, path).catch(() => undefined);
  }
  await unlink(aside);
}

function holderOf(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value["pid"] === "number" && typeof value["start"] === "string"
      ? { pid: value["pid"], start: value["start"] }
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
  const now = await startOf(pid);
  return now === undefined || start === "" || now === start;
}

/** When a process started, since which boot; `undefined` if the platform does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await textOf(`/proc/${pid}/stat`);
  const boot = await textOf("/proc/sys/kernel/random/boot_id");
  // The name of the program is in parentheses and may contain anything. The start is field 22.
  const start = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return start === undefined || boot === undefined ? undefined : `${boot.trim()} ${start}`;
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

/** Whether an error of the system has a code. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}
