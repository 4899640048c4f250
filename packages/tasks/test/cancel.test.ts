import { expect, test } from "vitest";

import type { TaskContext, TaskDefinition } from "../src/index.ts";
import { inState, makeEngine, settled } from "./support/engine.ts";

const define = (run: (task: TaskContext) => unknown): TaskDefinition => ({ name: "job", version: "1", run });

/** A run that waits until it is told to go on, whatever its signal says. */
function stubborn(): {
  readonly definition: TaskDefinition;
  readonly end: (value: unknown) => void;
  readonly context: Promise<TaskContext>;
} {
  let end: (value: unknown) => void = () => undefined;
  let started: (context: TaskContext) => void = () => undefined;
  const context = new Promise<TaskContext>((resolve) => {
    started = resolve;
  });
  const result = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  return {
    definition: define((task) => {
      started(task);
      return result;
    }),
    end,
    context,
  };
}

/** A run that ends when its signal fires. */
const obedient = define(
  ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    }),
);

test("a run that ignores its signal is cancelled at once, and its late result is dropped", async () => {
  const { engine } = makeEngine();
  const { definition, end, context } = stubborn();
  const task = await engine.start({ definition });
  const { signal, step } = await context;
  const cancelled = await engine.cancel(task.id, "");
  expect(cancelled).toMatchObject({ state: "cancelled" });
  expect(signal.reason).toMatchObject({ code: "TASK_CANCELLED" });
  await expect(step("late", () => 1)).rejects.toMatchObject({ code: "TASK_CANCELLED" });
  end("late");
  await settled();
  expect(await engine.get(task.id, "")).toEqual(cancelled);
});

test("a task that was cancelled stays as it is when it is cancelled again, answered or swept", async () => {
  const { engine, pass } = makeEngine();
  const task = await engine.start({ definition: obedient });
  const cancelled = await engine.cancel(task.id, "");
  expect(await engine.cancel(task.id, "")).toEqual(cancelled);
  expect(await engine.update(task.id, "", { a: 1 })).toEqual(cancelled);
  await pass(3000);
  expect(await engine.get(task.id, "")).toEqual(cancelled);
  expect(await engine.cancel("t_unknown", "")).toBeUndefined();
});

test("a task that has ended cannot be cancelled", async () => {
  const { engine } = makeEngine();
  const task = await engine.start({ definition: define(() => 1) });
  const ended = await engine.result(task.id, "");
  expect(await engine.cancel(task.id, "")).toEqual(ended);
});

test("a parked task is cancelled and never runs again", async () => {
  const { engine } = makeEngine();
  let runs = 0;
  const definition = define((task) => {
    runs++;
    return task.ask("q", 1);
  });
  const task = await engine.start({ definition });
  await inState(engine, task, "input_required");
  expect(await engine.cancel(task.id, "", { graceMs: 5000 })).toMatchObject({
    state: "cancelled",
    questions: {},
  });
  await engine.update(task.id, "", { q: 1 });
  await settled();
  expect(runs).toBe(1);
});

test("within the grace a task keeps its state, and a run that throws ends it as cancelled", async () => {
  const { engine } = makeEngine();
  const task = await engine.start({ definition: obedient });
  expect(await engine.cancel(task.id, "", { graceMs: 5000 })).toMatchObject({
    state: "working",
    cancelRequested: true,
  });
  expect(await engine.result(task.id, "")).toMatchObject({ state: "cancelled" });
});

test("within the grace a result counts", async () => {
  const { engine } = makeEngine();
  const { definition, end } = stubborn();
  const task = await engine.start({ definition });
  await engine.cancel(task.id, "", { graceMs: 5000 });
  end("done");
  expect(await engine.result(task.id, "")).toMatchObject({ state: "completed", outcome: { result: "done" } });
});

test("after the grace the task is cancelled, and a later result is dropped", async () => {
  const { engine, pass } = makeEngine();
  const { definition, end } = stubborn();
  const task = await engine.start({ definition });
  await engine.cancel(task.id, "", { graceMs: 5000 });
  await pass(4000);
  expect(await engine.get(task.id, "")).toMatchObject({ state: "working" });
  await pass(1000);
  const cancelled = await inState(engine, task, "cancelled");
  end("late");
  await settled();
  expect(await engine.get(task.id, "")).toEqual(cancelled);
});

test("a task that another process runs can be cancelled, at once and with a grace", async () => {
  const { engine, another } = makeEngine();
  const other = another();
  const { definition, context, end } = stubborn();
  const one = await engine.start({ definition });
  const two = await engine.start({ definition: { ...obedient, name: "obedient" } });
  const { signal } = await context;
  expect(await other.cancel(one.id, "")).toMatchObject({ state: "cancelled" });
  await settled();
  expect(signal.reason).toMatchObject({ code: "TASK_CANCELLED" });
  end(1);
  await other.cancel(two.id, "", { graceMs: 1000 });
  expect(await inState(other, two, "cancelled")).toMatchObject({ cancelRequested: true });
});

test("a task that reaches the end of its lifetime fails, is kept for as long again, and is deleted", async () => {
  const { engine, pass } = makeEngine();
  const { definition, context, end } = stubborn();
  const task = await engine.start({ definition, ttlMs: 10_000 });
  const { signal, expiresAt } = await context;
  expect(expiresAt).toBe(task.createdAt + 10_000);
  await pass(9000);
  expect(signal.aborted).toBe(false);
  await pass(1000);
  const expired = await inState(engine, task, "failed");
  expect(expired.outcome).toEqual({ error: { code: -32603, message: "The task expired" } });
  expect(signal.reason).toMatchObject({ code: "TASK_EXPIRED" });
  end("late");
  await pass(9000);
  expect(await engine.get(task.id, "")).toEqual(expired);
  await pass(2000);
  expect(await engine.get(task.id, "")).toBeUndefined();
});

test("a run can extend the lifetime of its task up to the limit", async () => {
  const { engine, pass } = makeEngine({ maxTtlMs: 30_000 });
  const { definition, context, end } = stubborn();
  const task = await engine.start({ definition, ttlMs: 10_000 });
  const { extend } = await context;
  await extend(20_000);
  expect(await engine.get(task.id, "")).toMatchObject({ ttlMs: 20_000 });
  await extend(5000);
  expect(await engine.get(task.id, "")).toMatchObject({ ttlMs: 20_000 });
  await pass(15_000);
  await extend(60_000);
  expect(await engine.get(task.id, "")).toMatchObject({ ttlMs: 30_000, state: "working" });
  end(1);
  expect(await engine.result(task.id, "")).toMatchObject({ state: "completed" });
});

test("lifetimes are limited, and endless only where there is no limit", async () => {
  const limited = makeEngine({ maxTtlMs: 5000, ttlMs: 9000 });
  const definition = define(() => 1);
  expect((await limited.engine.start({ definition })).ttlMs).toBe(5000);
  expect((await limited.engine.start({ definition, ttlMs: null })).ttlMs).toBe(5000);
  const free = makeEngine({ maxTtlMs: Infinity });
  expect((await free.engine.start({ definition, ttlMs: null })).ttlMs).toBeNull();
  expect((await free.engine.start({ definition })).ttlMs).toBe(3_600_000);
});

test("a function that ignores its signal keeps its slot for the grace only, and is reported", async () => {
  const { engine, errors, pass } = makeEngine({ maxRunning: 1, slotGraceMs: 10_000 });
  const first = stubborn();
  const task = await engine.start({ definition: first.definition });
  await first.context;
  await engine.cancel(task.id, "");
  const next = await engine.start({ definition: { ...define(() => "ran"), name: "next" } });
  await pass(9000);
  expect(await engine.get(next.id, "")).toMatchObject({ state: "working" });
  expect(errors).toEqual([]);
  await pass(1000);
  expect(await engine.result(next.id, "")).toMatchObject({ outcome: { result: "ran" } });
  expect(errors).toEqual([
    expect.objectContaining({ code: "LIMIT_EXCEEDED", message: expect.stringContaining(task.id) }),
  ]);
  // Its late end releases no slot a second time.
  first.end("late");
  await settled();
  const both = [stubborn(), stubborn()];
  for (const { definition } of both) {
    await engine.start({ definition });
  }
  await settled();
  let started = 0;
  both.forEach(({ context }) => void context.then(() => started++));
  await settled();
  expect(started).toBe(1);
  both.forEach(({ end }) => end(1));
});

test("a parked run whose function does not end keeps its slot for the grace only", async () => {
  const { engine, errors, pass } = makeEngine({ maxRunning: 1, slotGraceMs: 10_000 });
  const definition = define(async (task) => {
    await task.ask("q", 1).catch(() => undefined);
    return new Promise(() => {});
  });
  const task = await engine.start({ definition });
  await inState(engine, task, "input_required");
  const next = await engine.start({ definition: { ...define(() => "ran"), name: "next" } });
  await pass(10_000);
  expect(await engine.result(next.id, "")).toMatchObject({ outcome: { result: "ran" } });
  expect(errors).toHaveLength(1);
});

test("no more functions are given up than may run, so that they do not pile up", async () => {
  const { engine, errors, pass } = makeEngine({ maxRunning: 1, slotGraceMs: 1000 });
  const ends: ((value: unknown) => void)[] = [];
  for (let each = 0; each < 3; each++) {
    const { definition, end } = stubborn();
    ends.push(end);
    const task = await engine.start({ definition: { ...definition, name: `stubborn ${each}` } });
    await pass(1000);
    await engine.cancel(task.id, "");
    await pass(2000);
  }
  expect(errors).toHaveLength(1);
  const next = await engine.start({ definition: { ...define(() => "ran"), name: "next" } });
  await pass(5000);
  expect(await engine.get(next.id, "")).toMatchObject({ state: "working" });
  ends.forEach((end) => end(1));
  expect(await engine.result(next.id, "")).toMatchObject({ outcome: { result: "ran" } });
});
