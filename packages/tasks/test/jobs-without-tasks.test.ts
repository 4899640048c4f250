import { createMemoryTaskStore, type TaskEngineOptions } from "@tenon/tasks";
import type { StartedTask } from "@tenon/tasks/client";
import type { JobBackend } from "@tenon/tasks/server";
import { deferred, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connect, type TaskPair } from "./pair.ts";

// A job that prepare has begun, and whose call gets no task of its own.

interface Jobs extends TaskPair {
  /** The jobs that were begun, with whether they were cancelled. */
  readonly jobs: ReadonlyMap<string, boolean>;
  start(arguments_: Record<string, unknown>, idempotencyKey?: string): Promise<StartedTask>;
}

/** A tool whose calls are jobs. @param nameOf - Names a job. @param ready - Before a job begins. */
async function connectJobs(
  engine: TaskEngineOptions,
  nameOf: (count: number) => string,
  ready: () => Promise<void> = () => Promise.resolve(),
): Promise<Jobs> {
  const jobs = new Map<string, boolean>();
  const backend: JobBackend = {
    get: () => ({ state: "working" }),
    cancel: ({ prepared }) => void jobs.set(prepared as string, true),
  };
  const prepare = async (): Promise<string> => {
    await ready();
    const name = nameOf(jobs.size + 1);
    jobs.set(name, false);
    return name;
  };
  const input = { type: "object", properties: { text: { type: "string" } } } as const;
  const owner = (): string => "ada";
  const pair = await connect({ revision: modernRevision, engine, tasks: { owner } }, (server) => {
    server.addTool({ name: "job", input, task: { mode: "required", prepare, backend } }, () => "unused");
  });
  const start: Jobs["start"] = async (args, idempotencyKey) =>
    (await pair.session.tasks.start({ name: "job", arguments: args }, { idempotencyKey })) as StartedTask;
  return Object.assign(pair, { jobs, start });
}

const numbered = (count: number): string => `job-${count}`;

test("a job whose task the store has no room for is cancelled", async () => {
  const store = createMemoryTaskStore({ limits: { maxTasksPerPrincipal: 1 } });
  const { jobs, start } = await connectJobs({ store }, numbered);
  await start({});
  await expect(start({})).rejects.toThrow("Too many tasks");
  await expect
    .poll(() => [...jobs])
    .toEqual([
      ["job-1", false],
      ["job-2", true],
    ]);
});

test("a job whose arguments are too long for a task is cancelled", async () => {
  const { jobs, start } = await connectJobs({ limits: { maxArgumentsLength: 100 } }, numbered);
  await expect(start({ text: "x".repeat(200) })).rejects.toThrow();
  await expect.poll(() => [...jobs]).toEqual([["job-1", true]]);
});

test.each([
  ["the same arguments", { text: "a" }],
  ["other arguments", { text: "b" }],
])("of two calls with one key and %s at the same time, one has a job", async (_, second) => {
  const [all, both] = [deferred(), { left: 2 }];
  const ready = (): Promise<void> => {
    if (--both.left === 0) {
      all.resolve();
    }
    return all.promise;
  };
  const { jobs, start, session } = await connectJobs({}, numbered, ready);
  const [one, two] = await Promise.allSettled([start({ text: "a" }, "k"), start(second, "k")]);
  await expect.poll(() => [...jobs.values()].filter(Boolean)).toHaveLength(1);
  expect(jobs.size).toBe(2);
  const started = [one, two].flatMap((each) => (each.status === "fulfilled" ? [each.value.task.id] : []));
  expect(new Set(started).size).toBe(1);
  expect(await session.tasks.get(started[0] as string)).toMatchObject({ status: "working" });
});

test("a job that two calls with one key share is not cancelled", async () => {
  const [all, both] = [deferred(), { left: 2 }];
  const ready = (): Promise<void> => {
    if (--both.left === 0) {
      all.resolve();
    }
    return all.promise;
  };
  const { jobs, start } = await connectJobs({}, () => "shared", ready);
  const [one, two] = await Promise.allSettled([start({ text: "a" }, "k"), start({ text: "b" }, "k")]);
  expect([one, two].filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect([...jobs]).toEqual([["shared", false]]);
});

test("a back end without prepare is not asked to cancel a job that nobody has begun", async () => {
  const store = createMemoryTaskStore({ limits: { maxTasksPerPrincipal: 1 } });
  const cancelled: unknown[] = [];
  const backend: JobBackend = {
    get: () => ({ state: "working" }),
    cancel: (job) => void cancelled.push(job),
  };
  const tasks = { owner: (): string => "ada" };
  const { session } = await connect({ revision: modernRevision, engine: { store }, tasks }, (server) => {
    server.addTool({ name: "job", task: { backend } }, () => "in the request");
  });
  await session.tasks.start({ name: "job" });
  expect(await session.callTool({ name: "job" })).toMatchObject({ content: [{ text: "in the request" }] });
  expect(cancelled).toEqual([]);
});
