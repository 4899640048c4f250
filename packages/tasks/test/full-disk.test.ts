import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modernRevision } from "@tenon/test-support";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { openFileTaskStore } from "../src/file/index.ts";
import type { TaskStore } from "../src/index.ts";
import { newTask } from "../src/testing/check.ts";
import { connect, textOf } from "./pair.ts";

/** Mounts a small disk in memory. Only root may, and not in every container. */
function mountDisk(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmdirSync(folder);
    return undefined;
  }
}

const disk = mountDisk();

afterAll(() => {
  if (disk !== undefined) {
    execFileSync("umount", ["-l", disk]);
    rmdirSync(disk);
  }
});

test.skipIf(disk === undefined)(
  "row 7: a store on a full disk keeps what it announced, and its server announces nothing more (skipped without root)",
  async () => {
    const folder = disk ?? "";
    const path = join(folder, "tasks.log");
    const store = await openFileTaskStore(path);
    const announced: string[] = [];
    const fill = async (): Promise<never> => {
      for (;;) {
        const task = { ...newTask(), arguments: "x".repeat(1500) };
        await store.create(task);
        announced.push(task.id);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close();
    expect((await readdir(folder)).toSorted()).toEqual(["tasks.log", "tasks.log.lock.1"]);
    const readAll = async (opened: TaskStore): Promise<void> => {
      for (const id of announced) {
        expect((await opened.get(id, "ada"))?.id).toBe(id);
      }
    };
    expect(announced.length).toBeGreaterThan(10);
    const full = await openFileTaskStore(path);
    await readAll(full);
    const { session, received } = await connect(
      { revision: modernRevision, engine: { store: full, onError: () => undefined } },
      (server) => {
        // Too large for what is left on the disk.
        const input = { type: "object", properties: { text: { type: "string" } } } as const;
        server.addTool({ name: "optional", input, task: "optional" }, () => "in the request");
        server.addTool({ name: "required", input, task: "required" }, () => "never");
      },
    );
    const text = "x".repeat(10_000);
    const result = await session.callTool({ name: "optional", arguments: { text } });
    expect(textOf(result)).toBe("in the request");
    const refused = session.callTool({ name: "required", arguments: { text } });
    await expect(refused).rejects.toMatchObject({ code: -32_603 });
    expect(JSON.stringify(received)).not.toContain("taskId");
    await full.close();

    execFileSync("mount", ["-o", "remount,size=4m", folder]);
    const again = await openFileTaskStore(path);
    onTestFinished(() => again.close());
    await readAll(again);
    await again.create(newTask());
  },
);
