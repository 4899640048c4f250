import type { NewTask } from "@tenon/tasks";
import { hasRedis } from "@tenon/test-support/redis";
import { afterAll, expect, test } from "vitest";

import { onRedis, stopServer } from "./support.ts";

afterAll(stopServer);

const worker = { worker: "w1", leaseMs: 60_000 } as const;

function newTask(id: string, principal: string): NewTask {
  return {
    id,
    principal,
    name: "job",
    definitionVersion: "1",
    external: false,
    arguments: "{}",
    data: "null",
    state: "working",
    statusMessage: undefined,
    questions: {},
    outcome: undefined,
    ttlMs: 600_000,
    pollIntervalMs: 1000,
    maxAttempts: 3,
  };
}

test.skipIf(!hasRedis)(
  "a principal with 1,200 tasks that may not run keeps no other principal waiting (skipped without a server)",
  async () => {
    await using subject = await onRedis("redis", ({ tasks }) => tasks)();
    const { store } = subject;
    await Promise.all(
      Array.from({ length: 1200 }, (_, index) => store.create(newTask(`noisy-${index}`, "noisy:1"))),
    );
    for (let index = 0; index < 150; index++) {
      // Tasks of the same millisecond are in the order of their ids.
      await store.create(newTask(`quiet-${String(index).padStart(3, "0")}`, `quiet:${index}`));
    }
    const except = ["noisy:1"];
    const first = await store.claim({ ...worker, limit: 4, except });
    expect(first.map(({ id }) => id)).toEqual(["quiet-000", "quiet-001", "quiet-002", "quiet-003"]);
    // All principals are excepted but the last.
    const others = Array.from({ length: 149 }, (_, index) => `quiet:${index}`);
    const [last] = await store.claim({ ...worker, limit: 4, except: [...except, ...others] });
    expect(last?.id).toBe("quiet-149");
    const rest = await store.claim({ ...worker, limit: 2000, except: [] });
    expect(rest).toHaveLength(1200 + 145);
    expect(await store.claim({ ...worker, limit: 10 })).toEqual([]);
    await subject.advance(60_001);
    expect(await store.claim({ ...worker, limit: 10 })).toHaveLength(10);
  },
);
