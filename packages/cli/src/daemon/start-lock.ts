import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { CliError } from "../exit.ts";

/** A start takes milliseconds. A lock of this age was left by a process that was killed. */
const abandonedMs = 30_000;
const waitMs = 10_000;
const pollMs = 20;

/**
 * Waits until no other process starts in a folder, so that no two processes take the same address.
 * A lock whose process has ended is taken over.
 *
 * @param path - The lock file, in a folder that only this user can enter.
 * @throws `CliError` if another process does not finish its start.
 */
export async function startLock(path: string): Promise<AsyncDisposable> {
  const own = `${process.pid} ${randomUUID()}`;
  for (const deadline = performance.now() + waitMs; performance.now() < deadline;) {
    try {
      await writeFile(path, own, { flag: "wx", mode: 0o600 });
      return {
        async [Symbol.asyncDispose]() {
          if ((await textOf(path)) === own) {
            await rm(path, { force: true });
          }
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
    }
    const text = await textOf(path);
    if (text !== undefined && (await isAbandoned(path, text))) {
      await takeAway(path, text);
    } else {
      await delay(pollMs);
    }
  }
  throw new CliError("connection", `Another process has been starting for ${waitMs} ms.`, {
    hint: `remove ${path} if no other tenon is running`,
  });
}

async function isAbandoned(path: string, text: string): Promise<boolean> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  const pid = Number.parseInt(text, 10);
  return age > abandonedMs || (Number.isInteger(pid) && !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a lock, unless another process has replaced it. */
async function takeAway(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await textOf(aside)) !== text) {
      await link(aside, path).catch(() => {});
    }
  } catch {
    // Another process has removed it.
  } finally {
    await rm(aside, { force: true });
  }
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
