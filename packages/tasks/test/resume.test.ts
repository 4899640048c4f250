import { expect, test, vi } from "vitest";

import type { TaskContext, TaskDefinition } from "../src/index.ts";
import { inState, makeEngine, settled } from "./support/engine.ts";

const define = (run: (task: TaskContext) => unknown, version = "1"): TaskDefinition => ({
  name: "job",
  version,
  run,
});

/** Never ends by itself, as a run of a process that is about to be killed. */
const endless = define(async (task) => {
  await task.step("paid", () => "once");
  return new Promise(() => undefined);
});

test("a task whose process died runs again when its lease is over, without its journalled steps", async () => {
  const { dying, another, pass } = makeEngine({ leaseMs: 6000 });
  const task = await dying().start({ definition: endless });
  await settled();
  const next = another();
  let steps = 0;
  const attempts: number[] = [];
  await next.resume({
    definitions: [
      define(async (run) => {
        attempts.push(run.attempt);
        return run.step("paid", () => {
          steps++;
          return "twice";
        });
      }),
    ],
  });
  await pass(5000);
  expect(await next.get(task.id, "")).toMatchObject({ state: "working" });
  await pass(2000);
  expect((await next.result(task.id, ""))?.outcome).toEqual({ result: "once" });
  expect([steps, attempts]).toEqual([0, [2]]);
});

test("a worker that lost its lease writes nothing, and its signal fires", async () => {
  const { dying, another, pass } = makeEngine({ leaseMs: 3000 });
  let context: TaskContext | undefined;
  let end: (value: unknown) => void = () => undefined;
  const task = await dying().start({
    definition: define((run) => {
      context = run;
      return new Promise((resolve) => {
        end = resolve;
      });
    }),
  });
  const next = another();
  await next.resume({ definitions: [define((run) => run.ask("q", 1))] });
  await pass(4000);
  await inState(next, task, "input_required");
  await expect(context?.step("late", () => 1)).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect(context?.signal.reason).toMatchObject({ code: "LEASE_LOST" });
  end("late");
  await settled();
  expect(await next.get(task.id, "")).toMatchObject({ state: "input_required" });
});

test("a lease is renewed as long as its run lasts", async () => {
  const { engine, another, pass } = makeEngine({ leaseMs: 3000 });
  let runs = 0;
  let end: (value: unknown) => void = () => undefined;
  const definition = define(() => {
    runs++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const task = await engine.start({ definition });
  await another().resume({ definitions: [definition] });
  await pass(20_000);
  end("done");
  expect(await engine.result(task.id, "")).toMatchObject({ state: "completed" });
  expect(runs).toBe(1);
});

test("a task without a definition, or of a changed version, fails with the reason", async () => {
  const { engine, another } = makeEngine();
  const one = await engine.start({ definition: { ...endless, name: "gone" } });
  const two = await engine.start({ definition: endless });
  await engine.close({ drainMs: 0 });
  const next = another();
  await next.resume({ definitions: [{ ...endless, version: "2" }] });
  expect((await next.result(one.id, ""))?.outcome).toEqual({
    error: {
      code: -32603,
      message: 'The task was interrupted, and nothing named "gone" can continue it',
    },
  });
  expect((await next.result(two.id, ""))?.outcome).toEqual({
    error: {
      code: -32603,
      message: 'The task was interrupted, and "job" has changed since: it was version "1", now it is "2"',
    },
  });
});

test("a task that ends each of its processes fails as interrupted after maxAttempts runs", async () => {
  const { engine, dying, pass } = makeEngine({ leaseMs: 1000, sweepIntervalMs: 500 });
  const definition = { ...endless, maxAttempts: 2 };
  const task = await dying().start({ definition });
  await pass(1000);
  await dying().resume({ definitions: [definition] });
  await settled();
  await pass(2000);
  await engine.resume({ definitions: [definition] });
  expect(await inState(engine, task, "failed")).toMatchObject({
    outcome: {
      error: { message: "The task was interrupted: each of 2 runs was cut off by the end of its process" },
    },
  });
});

test("an engine that was not resumed leaves the tasks of others alone", async () => {
  const { engine, another, pass } = makeEngine({ leaseMs: 1000 });
  const task = await engine.start({ definition: endless });
  await engine.close({ drainMs: 0 });
  const next = another();
  await next.start({ definition: { ...endless, name: "other" } });
  await pass(3000);
  expect(await next.get(task.id, "")).toMatchObject({ state: "working", outcome: undefined });
});

test("close aborts runs, keeps results that come in time, and releases the other tasks at once", async () => {
  const { engine, another } = makeEngine();
  const reasons: unknown[] = [];
  const finishing = await engine.start({
    definition: {
      ...define(
        ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve("in time"));
          }),
      ),
      name: "finishing",
    },
  });
  const definition = define(async ({ signal, attempt }) => {
    if (attempt === 1 && reasons.length === 0) {
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason as Error);
        });
      });
    }
    return attempt;
  });
  const task = await engine.start({ definition });
  await settled();
  await engine.close();
  await engine.close();
  expect(reasons).toMatchObject([{ code: "CLOSED" }]);
  await expect(engine.get(task.id, "")).rejects.toMatchObject({ code: "CLOSED" });
  await expect(engine.start({ definition })).rejects.toMatchObject({ code: "CLOSED" });
  const next = another();
  expect(await next.get(finishing.id, "")).toMatchObject({ state: "completed" });
  await next.resume({ definitions: [definition] });
  // The run that was cut off by close does not count.
  expect((await next.result(task.id, ""))?.outcome).toEqual({ result: 1 });
});

test.each([{ drainMs: 0 }, {}])(
  "an engine that is closed while it claims a task does not run it, and gives it back at once (%j)",
  async (options) => {
    const { engine, another } = makeEngine({ maxRunning: 0 });
    const task = await engine.start({ definition: define(() => "unused") });
    const closing = another({});
    const run = vi.fn(() => "too late");
    // The claim has begun.
    await closing.resume({ definitions: [define(run)] });
    await closing.close(options);
    await settled();
    expect(run).not.toHaveBeenCalled();
    const next = another({});
    await next.resume({ definitions: [define(({ attempt }) => attempt)] });
    expect(await inState(next, task, "completed")).toMatchObject({ outcome: { result: 1 } });
  },
);

test("an engine that is closed while it creates a task does not run it, and gives it back at once", async () => {
  let store = (): void => undefined;
  const stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const { engine, another } = makeEngine({}, (its) => ({
    ...its,
    create: async (...args) => {
      const record = await its.create(...args);
      await stored;
      return record;
    },
  }));
  const run = vi.fn(() => "too late");
  const started = engine.start({ definition: define(run) });
  await settled();
  await engine.close();
  store();
  const task = await started;
  await settled();
  expect(run).not.toHaveBeenCalled();
  const next = another();
  await next.resume({ definitions: [define(({ attempt }) => attempt)] });
  expect(await inState(next, task, "completed")).toMatchObject({ outcome: { result: 1 } });
});

test("an engine whose store could not be watched at first works no more often than any other", async () => {
  let failures = 5;
  let sweeps = 0;
  const { engine, pass } = makeEngine({ sweepIntervalMs: 1000 }, (store) => ({
    ...store,
    watch: (...args) => (failures-- > 0 ? Promise.reject(new Error("store is down")) : store.watch(...args)),
    sweep: (...args) => {
      sweeps++;
      return store.sweep(...args);
    },
  }));
  const definition = define(() => 1);
  for (let attempt = 0; attempt < 5; attempt++) {
    await expect(engine.start({ definition })).rejects.toThrow("store is down");
    await pass(100);
  }
  await engine.start({ definition });
  sweeps = 0;
  for (let step = 0; step < 20; step++) {
    await pass(100);
  }
  expect(sweeps).toBe(2);
});

test("an outcome that cannot be written is written later", async () => {
  let failures = 3;
  const { engine, errors, pass } = makeEngine({}, (store) => ({
    ...store,
    update: (...args) =>
      failures-- > 0 ? Promise.reject(new Error("store is down")) : store.update(...args),
  }));
  const task = await engine.start({ definition: define(() => "done") });
  await settled();
  expect(await engine.get(task.id, "")).toMatchObject({ state: "working" });
  await pass(4000);
  expect(await engine.get(task.id, "")).toMatchObject({ state: "completed" });
  expect(errors).toEqual([]);
});

test("if the store is full, the task fails", async () => {
  let isFull = true;
  const { engine } = makeEngine({}, (store) => ({
    ...store,
    update: (id, patch, condition) => {
      const isRefused = isFull && patch.state === "completed";
      isFull = false;
      return isRefused
        ? Promise.reject(
            Object.assign(new Error("full"), {
              [Symbol.for("@tenon/tasks/TaskError")]: true,
              code: "STORE_FULL",
            }),
          )
        : store.update(id, patch, condition);
    },
  }));
  const task = await engine.start({ definition: define(() => "done") });
  expect((await engine.result(task.id, ""))?.outcome).toEqual({
    error: { code: -32603, message: "No room in the store for the result" },
  });
});
