import { samples } from "@tenon/samples";
import { expect, test } from "vitest";

import type { TaskContext, TaskDefinition, TaskSnapshot, TaskStore } from "../src/index.ts";
import { inState, makeEngine, settled } from "./support/engine.ts";

const define = (run: (task: TaskContext) => unknown): TaskDefinition => ({ name: "job", version: "1", run });

/** A definition without code: its tasks are steered from outside. */
const external: TaskDefinition = { name: "external", version: "1" };

test("a watch passes on each later state, of its own tasks alone", async () => {
  const { engine } = makeEngine();
  const one = await engine.start({ definition: external, principal: "ada" });
  const two = await engine.start({ definition: external, principal: "ada" });
  const seen: TaskSnapshot[] = [];
  const watch = await engine.watch([one.id, one.id, "t_unknown"], "ada", (task) => seen.push(task));
  expect(watch.ids).toEqual([one.id]);
  await engine.status(two.id, "other");
  await engine.status(one.id, "first", { done: 1 });
  await settled();
  await engine.complete(one.id, "end");
  await settled();
  expect(seen.map(({ state, statusMessage, progress }) => [state, statusMessage, progress])).toEqual([
    ["working", "first", { done: 1 }],
    ["completed", "first", { done: 1 }],
  ]);
  await watch.close();
  await engine.complete(two.id, 1);
  await settled();
  expect(seen).toHaveLength(2);
});

test("a listener that fails, at once or later, is reported, and gets the next state", async () => {
  const { engine, errors } = makeEngine();
  const { id } = await engine.start({ definition: external });
  const now = await engine.watch([id], "", () => {
    throw new Error("at once");
  });
  const later = await engine.watch([id], "", (): unknown => Promise.reject(new Error("later")));
  await engine.status(id, "first");
  await settled();
  await engine.status(id, "second");
  await settled();
  expect(errors.map(String)).toEqual(["Error: at once", "Error: later", "Error: at once", "Error: later"]);
  await now.close();
  await later.close();
});

test("of changes that come before the listener is called, the newest is passed on", async () => {
  const { engine } = makeEngine();
  const task = await engine.start({ definition: external });
  const seen: number[] = [];
  await engine.watch([task.id], "", ({ version }) => seen.push(version));
  await Promise.all(Array.from({ length: 20 }, (_, index) => engine.status(task.id, String(index))));
  await settled();
  expect(seen.at(-1)).toBe(21);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(new Set(seen).size).toBe(seen.length);
});

/** A store that loses every notice of a change. */
const forgetful = (store: TaskStore): TaskStore => ({
  ...store,
  watch: () => Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
});

test("a change whose notice was lost is passed on once, within a second", async () => {
  const { engine, another, pass } = makeEngine({}, forgetful);
  const task = await engine.start({ definition: external });
  const seen: string[] = [];
  await engine.watch([task.id], "", ({ statusMessage = "" }) => seen.push(statusMessage));
  await pass(3000);
  expect(seen).toEqual([]);
  await another().status(task.id, "changed");
  await pass(3000);
  expect(seen).toEqual(["changed"]);
});

test("the end of a task whose notice was lost reaches whoever waits for the result", async () => {
  const { engine, another, pass } = makeEngine({}, forgetful);
  const task = await engine.start({ definition: external });
  const result = engine.result(task.id, "");
  await settled();
  await another().complete(task.id, 1);
  await pass(1000);
  expect(await result).toMatchObject({ state: "completed", outcome: { result: 1 } });
});

test("a run learns that another process cancels it, although the notice was lost", async () => {
  const { engine, another, pass } = makeEngine({ leaseMs: 3000 }, forgetful);
  const task = await engine.start({
    definition: define(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    ),
  });
  await another().cancel(task.id, "", { graceMs: 60_000 });
  await pass(2000);
  expect(await engine.get(task.id, "")).toMatchObject({ state: "cancelled" });
});

test("the error of a listener is reported and disturbs nobody", async () => {
  const { engine, errors } = makeEngine();
  const task = await engine.start({ definition: external });
  const seen: string[] = [];
  await engine.watch([task.id], "", () => {
    throw new Error("broken");
  });
  await engine.watch([task.id], "", ({ state }) => seen.push(state));
  await engine.complete(task.id, 1);
  await settled();
  expect([seen, errors]).toEqual([["completed"], [new Error("broken")]]);
});

test("a watch of 10,000 tasks reads the store once for a change", async () => {
  let reads = 0;
  const { engine } = makeEngine({}, (store) => ({
    ...store,
    get: (...args) => {
      reads++;
      return store.get(...args);
    },
  }));
  const ids: string[] = [];
  for (let count = 0; count < 10_000; count++) {
    ids.push((await engine.start({ definition: external, principal: "ada" })).id);
  }
  const seen: string[] = [];
  await engine.watch(ids, "ada", ({ id }) => seen.push(id));
  reads = 0;
  await engine.complete(ids[5000] ?? "", 1);
  await settled();
  expect(seen).toEqual([ids[5000]]);
  // One of the change itself.
  expect(reads).toBe(2);
});

test("the number of watched tasks is limited, and a watch that ended does not count", async () => {
  const { engine } = makeEngine({ maxWatched: 2 });
  const tasks = await Promise.all([1, 2, 3].map(() => engine.start({ definition: external })));
  const ids = tasks.map(({ id }) => id);
  await expect(engine.watch(ids, "", () => undefined)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  const watch = await engine.watch([...ids.slice(0, 1), "t_unknown"], "", () => undefined);
  await engine.watch(ids.slice(1, 2), "", () => undefined);
  await expect(engine.watch(ids.slice(2), "", () => undefined)).rejects.toThrow("maxWatched");
  await watch.close();
  await watch.close();
  await engine.watch(ids.slice(2), "", () => undefined);
});

test("waiting for a result ends with the signal, with the engine, and with the deletion of the task", async () => {
  const { engine } = makeEngine();
  const task = await engine.start({ definition: external });
  const abort = new AbortController();
  const waiting = engine.result(task.id, "", { signal: abort.signal });
  const staying = engine.result(task.id, "");
  await settled();
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(engine.result(task.id, "", { signal: abort.signal })).rejects.toThrow("enough");
  const closed = expect(staying).rejects.toMatchObject({ code: "CLOSED" });
  await engine.close();
  await closed;
});

test("status is written at most once per interval, and the last one counts", async () => {
  let writes = 0;
  const { engine, clock } = makeEngine({}, (store) => ({
    ...store,
    update: (...args) => {
      writes++;
      return store.update(...args);
    },
  }));
  let context: TaskContext | undefined;
  let end: (value: unknown) => void = () => undefined;
  const definition = define((run) => {
    context = run;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const task = await engine.start({ definition });
  await settled();
  for (let done = 1; done <= 100; done++) {
    context?.status(`${done}/100`, { done });
  }
  await settled();
  expect(await engine.get(task.id, "")).toMatchObject({ statusMessage: "1/100", progress: { done: 1 } });
  clock.advance(1000);
  await settled();
  expect(await engine.get(task.id, "")).toMatchObject({ statusMessage: "100/100", progress: { done: 100 } });
  expect(writes).toBe(2);
  context?.status("almost");
  end(1);
  expect(await engine.result(task.id, "")).toMatchObject({ statusMessage: "almost", state: "completed" });
  expect(writes).toBe(3);
});

test("a list has pages, and a cursor of nobody is refused", async () => {
  const { engine, clock } = makeEngine();
  const made: string[] = [];
  for (let count = 0; count < 7; count++) {
    made.push((await engine.start({ definition: external, principal: "ada" })).id);
    await engine.start({ definition: external, principal: "bob" });
    await engine.start({ definition: external });
    clock.advance(1);
  }
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list("ada", { limit: 3, cursor });
    listed.push(...page.tasks.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(listed).toEqual(made);
  expect(await engine.list("")).toEqual({ tasks: [] });
  for (const bad of ["", "x", "zz", "!.t_a", `${"z".repeat(11)}.t_a`, "1.t a"]) {
    await expect(engine.list("ada", { cursor: bad })).rejects.toMatchObject({ code: "INVALID_CURSOR" });
  }
  await expect(engine.list("ada", { limit: 0 })).rejects.toThrow("limit must be");
});

test("runs are limited in all and for a principal, and waiting tasks run when there is room", async () => {
  const { engine, store } = makeEngine({ maxRunning: 3, maxRunningPerPrincipal: 2 });
  const running: string[] = [];
  const ends = new Map<string, (value: unknown) => void>();
  const definition = define(({ principal, arguments: args }) => {
    const name = `${principal}${String(args)}`;
    running.push(name);
    return new Promise((resolve) => {
      ends.set(name, resolve);
    });
  });
  const start = (principal: string, args: number): Promise<TaskSnapshot> =>
    engine.start({ definition, principal, arguments: args });
  await start("ada", 1);
  await start("ada", 2);
  const third = await start("ada", 3);
  await start("bob", 1);
  await start("bob", 2);
  await settled();
  expect(running).toEqual(["ada1", "ada2", "bob1"]);
  expect((await store.get(third.id, undefined))?.worker).toBeUndefined();
  ends.get("ada1")?.("end");
  await settled();
  expect(running).toHaveLength(4);
  ends.get("bob1")?.("end");
  await settled();
  expect(running.toSorted()).toEqual(["ada1", "ada2", "ada3", "bob1", "bob2"]);
  ends.forEach((end) => end("end"));
  expect(await engine.result(third.id, "ada")).toMatchObject({ state: "completed" });
});

test("a cancelled run that goes on keeps its place, so that such runs do not pile up", async () => {
  const { engine } = makeEngine({ maxRunning: 1 });
  let runs = 0;
  let end: (value: unknown) => void = () => undefined;
  const definition = define(() => {
    runs++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  const first = await engine.start({ definition });
  const second = await engine.start({ definition });
  await settled();
  await engine.cancel(first.id, "");
  await settled();
  expect(runs).toBe(1);
  end("late");
  await settled();
  expect(runs).toBe(2);
  end("second");
  expect(await engine.result(second.id, "")).toMatchObject({ outcome: { result: "second" } });
});

test("a client that polls all the time disturbs nothing", async () => {
  const { engine } = makeEngine();
  const definition = define((run) => run.step("a", () => 1));
  const task = await engine.start({ definition });
  const polls = await Promise.all(Array.from({ length: 20_000 }, () => engine.get(task.id, "")));
  const states = polls.map((each) => each?.state);
  expect(states.filter((state) => state !== "working" && state !== "completed")).toEqual([]);
  expect(await inState(engine, task, "completed")).toMatchObject({ outcome: { result: 1 } });
});

const many = samples(100_000);

test(`${many} tasks run to their end`, async () => {
  const { engine } = makeEngine({ maxRunning: 8 });
  const definition = define(({ arguments: args }) => args);
  const tasks: TaskSnapshot[] = [];
  for (let count = 0; count < many; count++) {
    tasks.push(await engine.start({ definition, principal: `p${count % 97}`, arguments: count }));
  }
  const sample = tasks.filter((_, index) => index % 1000 === 999);
  for (const [index, { id, principal }] of sample.entries()) {
    expect((await engine.result(id, principal))?.outcome).toEqual({ result: index * 1000 + 999 });
  }
});
