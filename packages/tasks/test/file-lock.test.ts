import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { compiledProgram } from "@tenon/test-support/processes";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { openFileTaskStore } from "../src/file/index.ts";
import { openStore } from "../src/file/store.ts";
import { newTask } from "../src/testing/check.ts";

// The lock of a file store among processes that do not see each other: in other containers, or on
// other machines with the same volume.

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "task-locks-"));
});

afterAll(() => rm(folder, { recursive: true }));

function newPath(): string {
  files++;
  return join(folder, `${files}.log`);
}

test("the lock of another container is taken once nobody renews it, and not before", async () => {
  const path = newPath();
  const open = () => openStore(path, {}, { lease: { leaseMs: 1000, renewMs: 20 } });
  const holder = { pid: process.pid, start: "this-boot 1", space: "pid:[another]" };
  await writeFile(`${path}.lock.1`, JSON.stringify(holder));
  const renewing = setInterval(() => void utimes(`${path}.lock.1`, new Date(), new Date()), 20);
  onTestFinished(() => {
    clearInterval(renewing);
  });
  await expect(open()).rejects.toMatchObject({
    code: "STORE_LOCKED",
    message: expect.stringContaining("of another container or machine"),
  });
  clearInterval(renewing);
  await utimes(`${path}.lock.1`, 0, 0);
  await (await open()).close();
});

test("a store whose lock was not renewed in time is not written once another has it", async () => {
  const path = newPath();
  // For the other process, this one is suspended: it renews nothing by itself.
  const store = await openStore(path, {}, { lease: { leaseMs: 1, renewMs: 2 ** 30 } });
  const own = JSON.parse(await readFile(`${path}.lock.1`, "utf8")) as object;
  await writeFile(`${path}.lock.1`, JSON.stringify({ ...own, space: "pid:[another]" }));
  const other = await openStore(path, {}, { lease: { leaseMs: 1 } });
  await expect(store.create(newTask())).rejects.toMatchObject({ code: "STORE_LOCKED" });
  const { id } = await other.create(newTask());
  await store.close();
  await other.close();
  await using again = await openFileTaskStore(path);
  expect((await again.get(id, undefined))?.id).toBe(id);
});

/** Whether this machine lets us make a PID namespace, as containers have. */
const mayUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

test.skipIf(!mayUnshare)("the second of two containers that share a volume is refused", async () => {
  const path = newPath();
  const program = await compiledProgram(new URL("fixtures/holder.ts", import.meta.url));
  const container = async (): Promise<string> => {
    const flags = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    const child = spawn("unshare", [...flags, process.execPath, program, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return line.toString().trim();
  };
  expect(await container()).toBe("opened");
  expect(await container()).toBe("STORE_LOCKED");
});
