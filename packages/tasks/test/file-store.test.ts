import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  copyFile,
  lstat,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { openFileTaskStore } from "../src/file/index.ts";
import { LogFile } from "../src/file/log.ts";
import { openStore, type FileParts } from "../src/file/store.ts";
import type { TaskStore } from "../src/index.ts";
import { taskStoreConformance } from "../src/testing.ts";
import { completed, lease, newTask } from "../src/testing/check.ts";
import { createDatedClock } from "./support/clock.ts";

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tasks-"));
});

afterAll(() => rm(folder, { recursive: true }));

function newPath(): string {
  files++;
  return join(folder, `${files}.log`);
}

describe("a file store", () => {
  const count = taskStoreConformance(
    { test },
    async () => {
      const path = newPath();
      const clock = createDatedClock();
      const opened = [await openFileTaskStore(path, { clock })];
      return {
        store: opened[0] as TaskStore,
        advance: (ms) => Promise.resolve(clock.advance(ms)),
        // As after kill -9: what the file has at this moment.
        async reopen() {
          await copyFile(path, `${path}.copy`);
          const again = await openFileTaskStore(`${path}.copy`, { clock });
          opened.push(again);
          return again;
        },
        async [Symbol.asyncDispose]() {
          await Promise.all(opened.map((store) => store.close()));
        },
      };
    },
    { durable: true },
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(57);
  });
});

/** A disk that can be full: writes past `room` bytes are cut off and fail. */
function smallDisk(): { readonly parts: FileParts; room: number; isStuck: boolean } {
  const disk = {
    room: Infinity,
    isStuck: false,
    parts: {
      async openFile(path: string, flags: string, mode?: number) {
        const file = await open(path, flags, mode);
        const write = file.write.bind(file) as (...args: unknown[]) => Promise<{ bytesWritten: number }>;
        const cut = file.truncate.bind(file);
        const full = (): Error =>
          Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
        return Object.assign(file, {
          async write(bytes: Uint8Array, offset: number, length: number, position: number) {
            const fits = Math.max(0, Math.min(length, disk.room - position));
            if (fits === 0) {
              throw full();
            }
            return write(bytes, offset, fits, position);
          },
          truncate: (length?: number) => (disk.isStuck ? Promise.reject(full()) : cut(length)),
        });
      },
    } as FileParts,
  };
  return disk;
}

describe("a full disk", () => {
  test("fails creation without a trace, and the store works again when there is room", async () => {
    const path = newPath();
    const disk = smallDisk();
    const store = await openStore(path, {}, disk.parts);
    const first = await store.create(newTask());
    disk.room = (await stat(path)).size + 100;
    const lost = newTask();
    const reading = store.create(lost);
    const read = store.get(lost.id, "ada");
    await expect(reading).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: "The log of tasks cannot be written: ENOSPC: no space left on device",
    });
    expect(await read).toBeUndefined();
    expect(await store.get(lost.id, "ada")).toBeUndefined();
    expect(await store.list("ada", undefined, 10)).toEqual([first]);
    disk.room = Infinity;
    const later = await store.create(newTask());
    await store.close();
    const again = await openFileTaskStore(path);
    expect((await again.list("ada", undefined, 10)).map(({ id }) => id).toSorted()).toEqual([
      first.id,
      later.id,
    ]);
    await again.close();
  });

  test("fails an end, which leaves the task as it was; nobody saw it ended", async () => {
    const path = newPath();
    const disk = smallDisk();
    const store = await openStore(path, {}, disk.parts);
    const task = await store.create(newTask());
    disk.room = (await stat(path)).size;
    const ending = store.update(task.id, completed, { version: 1 });
    const read = store.get(task.id, "ada");
    const refused = store.update(task.id, { statusMessage: "late" }, { version: 1 });
    await expect(ending).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await read).toEqual(task);
    // Made after the end that failed, so judged without it.
    await expect(refused).rejects.toMatchObject({ code: "STORE_FAILED" });
    disk.room = Infinity;
    expect(await store.update(task.id, completed, { version: 1 })).toMatchObject({ version: 2 });
    await store.close();
  });

  test("all changes of a failed write are undone, also those made while it failed", async () => {
    const path = newPath();
    const disk = smallDisk();
    const store = await openStore(path, { limits: { maxTasks: 4 } }, disk.parts);
    const ended = await store.create(newTask({ ...completed }));
    const running = await store.create(newTask(), lease);
    disk.room = (await stat(path)).size + 700;
    const results = await Promise.allSettled([
      store.append(running.id, 1, [{ kind: "step", key: "a", value: "1" }]),
      store.create(newTask()),
      store.create(newTask()),
      store.create(newTask()),
      store.update(running.id, { statusMessage: "x" }, { version: 1, fence: 1 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "rejected"));
    expect(await store.get(ended.id, "ada")).toEqual(ended);
    expect(await store.get(running.id, "ada")).toEqual(running);
    expect(await store.journal(running.id)).toEqual([]);
    await store.close();
  });

  test("that cannot be cut back either is cut back before the next write", async () => {
    const path = newPath();
    const disk = smallDisk();
    const store = await openStore(path, {}, disk.parts);
    const first = await store.create(newTask());
    disk.room = (await stat(path)).size + 50;
    disk.isStuck = true;
    await expect(store.create(newTask())).rejects.toThrow("ENOSPC");
    disk.room = Infinity;
    await expect(store.create(newTask())).rejects.toThrow("ENOSPC");
    disk.isStuck = false;
    const later = await store.create(newTask());
    await store.close();
    const again = await openFileTaskStore(path);
    expect((await again.list("ada", undefined, 10)).map(({ id }) => id)).toEqual([first.id, later.id]);
    await again.close();
  });
});

describe("the log", () => {
  test("is rewritten when it has grown, without losing a task", async () => {
    const path = newPath();
    const store = await openStore(path, {}, { compactBytes: 10_000 });
    const kept = await store.create(newTask(), lease);
    await store.append(kept.id, 1, [{ kind: "step", key: "a", value: '"é"' }]);
    let largest = 0;
    for (let round = 0; round < 200; round++) {
      const { id } = await store.create(newTask({ ttlMs: 1 }));
      await store.update(id, completed, { version: 1 });
      await store.sweep(10);
      largest = Math.max(largest, (await stat(path)).size);
    }
    expect(largest).toBeLessThan(20_000);
    await store.close();
    const again = await openFileTaskStore(path);
    expect(await again.get(kept.id, "ada")).toEqual({ ...kept, worker: undefined, leaseUntil: 0 });
    expect(await again.journal(kept.id)).toEqual([{ kind: "step", key: "a", value: '"é"' }]);
    await again.close();
  });

  test("stays as it is if it cannot be rewritten", async () => {
    const path = newPath();
    const errors: unknown[] = [];
    const parts: FileParts = {
      compactBytes: 2000,
      openFile: (name, ...rest) =>
        name.endsWith(".new") ? Promise.reject(new Error("no room")) : open(name, ...rest),
    };
    const store = await openStore(path, { onError: (error) => errors.push(error) }, parts);
    const made: string[] = [];
    for (let count = 0; count < 20; count++) {
      made.push((await store.create(newTask())).id);
    }
    await store.close();
    expect(errors.length).toBeGreaterThan(0);
    const again = await openFileTaskStore(path);
    expect((await again.list("ada", undefined, 100)).map(({ id }) => id)).toEqual(made);
    await again.close();
  });

  test("has every task of before a damaged line and of after it, and warns", async () => {
    const path = newPath();
    const store = await openFileTaskStore(path);
    const tasks = [
      await store.create(newTask()),
      await store.create(newTask()),
      await store.create(newTask()),
    ];
    await store.close();
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(tasks[1]?.id ?? "", "t_damaged"));
    const warnings: string[] = [];
    const again = await openFileTaskStore(path, { onWarning: (message) => warnings.push(message) });
    expect((await again.list("ada", undefined, 9)).map(({ id }) => id)).toEqual([tasks[0]?.id, tasks[2]?.id]);
    expect(warnings).toEqual([`The log of tasks ${path} has 1 damaged lines, which were left out.`]);
    await again.close();
  });

  test("that is another file is refused and left alone", async () => {
    const path = newPath();
    await writeFile(path, "my diary\n");
    await expect(openFileTaskStore(path)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await readFile(path, "utf8")).toBe("my diary\n");
    await writeFile(path, "");
    await (await openFileTaskStore(path)).close();
    await truncate(path, 20);
    await (await openFileTaskStore(path)).close();
  });

  test("is for one process: a second store is refused until the first is closed", async () => {
    const path = newPath();
    const store = await openFileTaskStore(path);
    await expect(openFileTaskStore(path)).rejects.toMatchObject({
      code: "STORE_LOCKED",
      message: `Task store is used by process ${process.pid}; only one process may use it (${path}.lock.1).`,
    });
    await store.close();
    await (await openFileTaskStore(path)).close();
  });

  test("is taken over from a process that has ended, also if another has its number", async () => {
    const path = newPath();
    let number = 1;
    for (const holder of [
      { pid: 2 ** 30, start: "" },
      { pid: process.pid, start: "of another boot 1" },
    ]) {
      // The store that was open before has left the lock file before this one.
      await writeFile(`${path}.lock.${number}`, JSON.stringify(holder));
      number += 2;
      await (await openFileTaskStore(path)).close();
    }
    await writeFile(`${path}.lock.${number}`, "{");
    const stores = await Promise.allSettled(Array.from({ length: 8 }, () => openFileTaskStore(path)));
    const opened = stores.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(opened).toHaveLength(1);
    await opened[0]?.close();
  });

  test.skipIf(process.platform !== "linux")("is taken over from a zombie", async () => {
    const path = newPath();
    // The parent never asks for the exit code of its child.
    const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    const statusOf = async (): Promise<string> => readFile(`/proc/${pid}/stat`, "utf8");
    const start = (await statusOf()).split(" ")[21];
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    await writeFile(`${path}.lock.1`, JSON.stringify({ pid, start: `${boot} ${start}` }));
    await expect(openFileTaskStore(path)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    // Until then the shell may still ask for the exit code.
    await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(pid, "SIGKILL");
    await expect.poll(statusOf).toContain(") Z ");
    await (await openFileTaskStore(path)).close();
  });

  test("may end with half a line, which the next writer removes", async () => {
    const path = newPath();
    const store = await openFileTaskStore(path);
    const first = await store.create(newTask());
    await store.close();
    await appendFile(path, 'deadbeef {"create":{"id"');
    const again = await openFileTaskStore(path);
    const second = await again.create(newTask());
    await again.close();
    const last = await openFileTaskStore(path);
    expect((await last.list("ada", undefined, 9)).map(({ id }) => id)).toEqual([first.id, second.id]);
    await last.close();
    expect(await readFile(path, "utf8")).not.toContain("deadbeef");
  });
});

test.skipIf(process.getuid === undefined)("a log that other users can write is refused", async () => {
  for (const mode of [0o606, 0o660, 0o666]) {
    const path = newPath();
    await (await openFileTaskStore(path)).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, mode);
    await expect(openFileTaskStore(path)).rejects.toThrow("must not be writable for other users");
    await chmod(path, 0o640);
    await (await openFileTaskStore(path)).close();
  }
});

test.skipIf(process.getuid === undefined)(
  "a log of another user is refused, one of root is not",
  async () => {
    const path = newPath();
    await (await openFileTaskStore(path)).close();
    const ownedBy =
      (uid: number): typeof open =>
      async (...args) => {
        const file = await open(...args);
        const stats = await file.stat();
        return Object.assign(file, { stat: () => Promise.resolve(Object.assign(stats, { uid })) });
      };
    await (await LogFile.open(path, ownedBy(0), () => 0)).close();
    await expect(LogFile.open(path, ownedBy(54_321), () => 0)).rejects.toThrow(
      `must belong to the user that runs this process (${process.getuid?.()}) or to root; got user 54321`,
    );
  },
);

test("a rewritten log does not go through a link at the name of its new file", async () => {
  const path = newPath();
  const log = await LogFile.open(path, open, () => 0);
  const victim = newPath();
  await writeFile(victim, "unchanged");
  await symlink(victim, `${path}.new`);
  await log.replace(["{}\n"]);
  await log.close();
  expect(await readFile(victim, "utf8")).toBe("unchanged");
  expect(await readFile(path, "utf8")).toBe("{}\n");
  expect((await lstat(path)).isSymbolicLink()).toBe(false);
});
