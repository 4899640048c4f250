import { RpcError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { createTaskEngine, type TaskContext, type TaskDefinition, type TaskSnapshot } from "../src/index.ts";
import { inState, makeEngine, settled } from "./support/engine.ts";

const define = (run: (task: TaskContext) => unknown, version = "1"): TaskDefinition => ({
  name: "job",
  version,
  run,
});

test("a task runs and its result can be read", async () => {
  const { engine } = makeEngine();
  const task = await engine.start({
    definition: define((context) => ({
      got: context.arguments,
      data: context.data,
      attempt: context.attempt,
    })),
    arguments: { n: 1 },
    data: { job: "x" },
    principal: "ada",
    ttlMs: 5000,
    pollIntervalMs: 50,
  });
  expect(task).toMatchObject({ state: "working", ttlMs: 5000, pollIntervalMs: 50, outcome: undefined });
  expect(task.id).toMatch(/^t_[\w-]{22}$/);
  const ended = await engine.result(task.id, "ada");
  expect(ended).toMatchObject({
    state: "completed",
    outcome: { result: { got: { n: 1 }, data: { job: "x" }, attempt: 1 } },
  });
  expect(await engine.get(task.id, "ada")).toEqual(ended);
});

test("the record exists before start returns and before the run begins", async () => {
  const { engine, store } = makeEngine();
  let seen: Promise<unknown> | undefined;
  const task = await engine.start({ definition: define(({ id }) => void (seen = store.get(id, ""))) });
  expect(await store.get(task.id, "")).toBeDefined();
  await engine.result(task.id, "");
  expect(await seen).toMatchObject({ id: task.id });
});

test("a task that cannot be created is not announced and does not run", async () => {
  let runs = 0;
  const { engine } = makeEngine({}, (store) => ({
    ...store,
    create: () => Promise.reject(new Error("disk full")),
  }));
  await expect(engine.start({ definition: define(() => runs++) })).rejects.toThrow("disk full");
  await settled();
  expect(runs).toBe(0);
});

test("an RpcError of the run is the error of the task; of other errors only a generic one is stored", async () => {
  const { engine, errors } = makeEngine();
  const rpc = await engine.start({
    definition: define(() => {
      throw new RpcError(-32001, "no such file", { data: { path: "x" } });
    }),
  });
  const other = await engine.start({ definition: define(() => Promise.reject(new Error("password"))) });
  expect(await engine.result(rpc.id, "")).toMatchObject({
    state: "failed",
    outcome: { error: { code: -32001, message: "no such file", data: { path: "x" } } },
  });
  expect((await engine.result(other.id, ""))?.outcome).toEqual({
    error: { code: -32603, message: "Internal error" },
  });
  expect(errors).toEqual([new Error("password")]);
});

test("a result over the limit, or that is no JSON, fails the task and not the store", async () => {
  const { engine } = makeEngine({ maxResultLength: 2000 });
  const long = await engine.start({ definition: define(() => "x".repeat(2001)) });
  const strange = await engine.start({ definition: define(() => ({ at: new Date(0) })) });
  expect((await engine.result(long.id, ""))?.outcome).toEqual({
    error: {
      code: -32603,
      message: "The result has 2003 characters as JSON; the limit is 2000 (maxResultLength).",
    },
  });
  expect((await engine.result(strange.id, ""))?.outcome).toMatchObject({
    error: { message: expect.stringContaining("plain JSON") as string },
  });
  const short = await engine.start({ definition: define(() => "x".repeat(1998)) });
  expect(await engine.result(short.id, "")).toMatchObject({ state: "completed" });
});

test("arguments over the limit create no task", async () => {
  const { engine, store } = makeEngine({ maxArgumentsLength: 20 });
  const definition = define(() => 1);
  const start = (options: object): Promise<TaskSnapshot> =>
    engine.start({ definition, principal: "ada", ...options });
  await expect(start({ arguments: "x".repeat(30) })).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await expect(start({ arguments: "xx", data: "x".repeat(15) })).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
  await expect(start({ arguments: () => 1 })).rejects.toMatchObject({ code: "NOT_SERIALIZABLE" });
  await expect(start({ ttlMs: 0 })).rejects.toThrow("ttlMs must be a positive number or null");
  expect(await store.list("ada", undefined, 10)).toEqual([]);
});

test("a task of another principal is unknown to every method", async () => {
  const { engine } = makeEngine();
  const definition = define((task) => task.ask("q", 1));
  const task = await engine.start({ definition, principal: "ada" });
  await inState(engine, task, "input_required");
  for (const principal of ["eve", ""]) {
    expect(await engine.get(task.id, principal)).toBeUndefined();
    expect(await engine.update(task.id, principal, { q: 1 })).toBeUndefined();
    expect(await engine.cancel(task.id, principal)).toBeUndefined();
    expect(await engine.result(task.id, principal)).toBeUndefined();
    expect((await engine.watch([task.id, "t_unknown"], principal, () => undefined)).ids).toEqual([]);
    expect(await engine.list(principal)).toEqual({ tasks: [] });
  }
  expect(await engine.get(task.id, "ada")).toMatchObject({ state: "input_required", version: 2 });
});

test("a question parks the task, which runs again from its journal when the answer is there", async () => {
  const { engine, clock } = makeEngine();
  const log: string[] = [];
  const definition = define(async (task) => {
    log.push("run");
    const reserved = await task.step("reserve", () => log.push("reserve"));
    try {
      const name = await task.ask("name", { message: "Who?" });
      return await task.step("ship", () => `${String(name)} got ${reserved}`);
    } finally {
      log.push("finally");
    }
  });
  const task = await engine.start({ definition });
  const parked = await inState(engine, task, "input_required");
  expect(parked.questions).toEqual({ name: { message: "Who?" } });
  // Of the engine, none of the task.
  expect(clock.timers).toBe(1);
  const answered = await engine.update(task.id, "", { name: "Ada" });
  expect(answered).toMatchObject({ state: "working", questions: {} });
  expect((await engine.result(task.id, ""))?.outcome).toEqual({ result: "Ada got 2" });
  expect(log).toEqual(["run", "reserve", "finally", "run", "finally"]);
});

test("questions of parallel branches are asked together and answered in parts", async () => {
  const { engine } = makeEngine();
  let runs = 0;
  const definition = define(async (task) => {
    runs++;
    return Promise.all([task.ask("a", 1), task.ask("b", 2)]);
  });
  const task = await engine.start({ definition });
  expect((await inState(engine, task, "input_required")).questions).toEqual({ a: 1, b: 2 });
  const half = await engine.update(task.id, "", { a: "A", unknown: 1 });
  expect(half).toMatchObject({ state: "input_required", questions: { b: 2 } });
  expect(await engine.get(task.id, "")).toEqual(half);
  const again = await engine.update(task.id, "", { a: "other" });
  expect(again).toEqual(half);
  await settled();
  expect(runs).toBe(1);
  await engine.update(task.id, "", { b: "B", a: "late" });
  const ended = await engine.result(task.id, "");
  expect(ended?.outcome).toEqual({ result: ["A", "B"] });
  expect(runs).toBe(2);
  expect(await engine.update(task.id, "", { a: "after the end" })).toEqual(ended);
  expect(await engine.answers(task.id)).toEqual({ a: "A", b: "B" });
});

test("answers nobody asked for change nothing", async () => {
  const { engine } = makeEngine();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const task = await engine.start({ definition: define(() => gate) });
  expect(await engine.update(task.id, "", { a: 1, __proto__: 2, toString: 3 })).toEqual(task);
  expect(await engine.update("t_unknown", "", { a: 1 })).toBeUndefined();
  open();
  await engine.result(task.id, "");
});

test("a step that runs while another branch asks ends first, and is in the journal", async () => {
  const { engine } = makeEngine();
  let finish: (value: string) => void = () => undefined;
  let steps = 0;
  const definition = define(async (task) => {
    const slow = task.step("slow", () => {
      steps++;
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    });
    return Promise.all([task.ask("q", 1), slow]);
  });
  const task = await engine.start({ definition });
  await settled();
  expect(await engine.get(task.id, "")).toMatchObject({ state: "working", questions: {} });
  finish("done");
  await inState(engine, task, "input_required");
  await engine.update(task.id, "", { q: "A" });
  expect((await engine.result(task.id, ""))?.outcome).toEqual({ result: ["A", "done"] });
  expect(steps).toBe(1);
});

test("a run that catches the suspension cannot change that the task waits", async () => {
  const { engine } = makeEngine();
  const definition = define(async (task) => {
    try {
      return await task.ask("q", 1);
    } catch (error) {
      task.status("late");
      await task.step("late", () => 1).catch(() => undefined);
      return `caught ${(error as { code: string }).code}`;
    }
  });
  const task = await engine.start({ definition });
  const parked = await inState(engine, task, "input_required");
  await settled();
  expect(await engine.get(task.id, "")).toEqual(parked);
  await engine.update(task.id, "", { q: "A" });
  expect((await engine.result(task.id, ""))?.outcome).toEqual({ result: "A" });
});

test("names and sizes of steps and questions are checked", async () => {
  const { engine } = makeEngine({ maxEntryLength: 20, maxQuestions: 2, maxEntries: 3, maxJournalLength: 39 });
  const outcomes: unknown[] = [];
  const definition = define(async (task) => {
    const attempt = async (run: () => Promise<unknown>): Promise<void> => {
      outcomes.push(
        await run().catch((error: unknown) => (error as { code?: string }).code ?? (error as Error).name),
      );
    };
    await attempt(() => task.step("", () => 1));
    await attempt(() => task.step("a#b", () => 1));
    await attempt(() => task.step("a", () => undefined));
    await attempt(() => task.step("a", () => 1));
    await attempt(() => task.step("long", () => "x".repeat(20)));
    await attempt(() => task.step("map", () => new Map()));
    await attempt(() => task.ask("q", "x".repeat(20)));
    await attempt(() => task.step("b", () => "x".repeat(15)));
    await attempt(() => task.step("c", () => "x".repeat(18)));
    await attempt(() => task.step("d", () => 4));
    await attempt(() => task.step("e", () => 5));
    return null;
  });
  const task = await engine.start({ definition });
  await engine.result(task.id, "");
  expect(outcomes).toEqual([
    "TypeError",
    "TypeError",
    undefined,
    "TypeError",
    "LIMIT_EXCEEDED",
    "NOT_SERIALIZABLE",
    "LIMIT_EXCEEDED",
    "x".repeat(15),
    "LIMIT_EXCEEDED",
    4,
    "LIMIT_EXCEEDED",
  ]);
});

test("a definition must be valid", () => {
  const engine = createTaskEngine();
  expect(() => engine.define({ name: "", version: "1" })).toThrow("1 to 128 characters");
  expect(() => engine.define({ name: "a", version: 1 as unknown as string })).toThrow("must be a string");
  expect(() => engine.define({ name: "a", version: "1", maxAttempts: 0 })).toThrow("1 or more");
  expect(() =>
    engine.define({ name: "a", version: "1", run: () => 1, backend: { get: () => ({ state: "working" }) } }),
  ).toThrow("not both");
  expect(() => createTaskEngine({ limit: {} } as object)).toThrow("limits");
});
