import { expect, test } from "vitest";

import type { BackendState, TaskBackend, TaskDefinition } from "../src/index.ts";
import { makeEngine, settled } from "./support/engine.ts";

const external: TaskDefinition = { name: "external", version: "1" };

/** A system of jobs whose state a test sets. */
function makeBackend(): {
  readonly definition: TaskDefinition;
  readonly backend: TaskBackend;
  readonly calls: string[];
  state: BackendState | Error | "late";
} {
  const calls: string[] = [];
  const jobs: { calls: string[]; state: BackendState | Error | "late"; backend: TaskBackend } = {
    calls,
    state: { state: "working" },
    backend: {
      get({ data }) {
        calls.push(`get ${JSON.stringify(data)}`);
        if (jobs.state instanceof Error) {
          throw jobs.state;
        }
        return jobs.state === "late" ? new Promise(() => undefined) : jobs.state;
      },
      update(_, answers) {
        calls.push(`update ${JSON.stringify(answers)}`);
        if (jobs.state instanceof Error) {
          throw jobs.state;
        }
      },
      cancel({ id }) {
        calls.push(`cancel ${typeof id}`);
      },
    },
  };
  return Object.assign(jobs, { definition: { ...external, backend: jobs.backend } });
}

test("a task that another system runs is completed, failed and changed from outside", async () => {
  const { engine } = makeEngine();
  const one = await engine.start({ definition: external, principal: "ada" });
  const two = await engine.start({ definition: external });
  expect(await engine.status(one.id, "half", { done: 1 })).toBe(true);
  expect(await engine.get(one.id, "ada")).toMatchObject({ statusMessage: "half", progress: { done: 1 } });
  expect(await engine.complete(one.id, { ok: true })).toBe(true);
  expect(await engine.fail(two.id, { code: 7, message: "no" })).toBe(true);
  const ended = await engine.get(one.id, "ada");
  expect(ended).toMatchObject({ state: "completed", outcome: { result: { ok: true } } });
  expect(await engine.get(two.id, "")).toMatchObject({
    state: "failed",
    outcome: { error: { code: 7, message: "no" } },
  });
  // A webhook that comes twice, or late.
  expect(await engine.complete(one.id, "again")).toBe(false);
  expect(await engine.fail(one.id, { code: 1, message: "late" })).toBe(false);
  expect(await engine.ask(one.id, { q: 1 })).toBe(false);
  expect(await engine.status("t_unknown", "x")).toBe(false);
  expect(await engine.get(one.id, "ada")).toEqual(ended);
});

test("a task that another system runs asks for input and gets the responses", async () => {
  const { engine } = makeEngine({ maxQuestions: 2 });
  const { id } = await engine.start({ definition: external });
  expect(await engine.ask(id, { a: 1 })).toBe(true);
  expect(await engine.ask(id, { a: "other", b: 2 })).toBe(true);
  expect(await engine.get(id, "")).toMatchObject({ state: "input_required", questions: { a: 1, b: 2 } });
  await expect(engine.ask(id, { c: 3 })).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await engine.update(id, "", { a: "A" });
  expect(await engine.update(id, "", { b: null })).toMatchObject({ state: "working", questions: {} });
  expect(await engine.ask(id, { a: "again" })).toBe(true);
  expect(await engine.get(id, "")).toMatchObject({ state: "working", questions: {} });
  expect(await engine.answers(id)).toEqual({ a: "A", b: null });
});

test("a task that the engine runs cannot be steered from outside", async () => {
  const { engine } = makeEngine();
  const { id } = await engine.start({
    definition: { name: "job", version: "1", run: () => new Promise(() => undefined) },
  });
  await expect(engine.complete(id, 1)).rejects.toMatchObject({ code: "INVALID_STATE" });
  await expect(engine.ask(id, { q: 1 })).rejects.toMatchObject({ code: "INVALID_STATE" });
});

test("a task of a back end has the state of its job, read at most once per pollIntervalMs", async () => {
  const jobs = makeBackend();
  const { engine, clock } = makeEngine();
  const { id } = await engine.start({ definition: jobs.definition, data: { job: 7 }, pollIntervalMs: 100 });
  jobs.state = { state: "working", statusMessage: "half", progress: { done: 1 } };
  await Promise.all(Array.from({ length: 50 }, () => engine.get(id, "")));
  expect(jobs.calls).toEqual(['get {"job":7}']);
  expect(await engine.get(id, "")).toMatchObject({
    statusMessage: "half",
    progress: { done: 1 },
    version: 2,
  });
  clock.advance(100);
  // Nothing new, so nothing is written.
  expect(await engine.get(id, "")).toMatchObject({ version: 2 });
  clock.advance(100);
  jobs.state = { state: "completed", outcome: { result: 42 } };
  expect(await engine.get(id, "")).toMatchObject({ state: "completed", outcome: { result: 42 } });
  clock.advance(100);
  jobs.state = { state: "failed", outcome: { error: { code: 1, message: "late" } } };
  expect(await engine.get(id, "")).toMatchObject({ state: "completed" });
  expect(jobs.calls).toHaveLength(3);
});

test("a job that asks for input gets the responses before they are stored, and each key once", async () => {
  const jobs = makeBackend();
  const { engine, clock } = makeEngine({ pollIntervalMs: 100 });
  const { id } = await engine.start({ definition: jobs.definition });
  jobs.state = { state: "input_required", questions: { a: 1 } };
  expect(await engine.get(id, "")).toMatchObject({ state: "input_required", questions: { a: 1 } });
  const asked = jobs.state;
  jobs.state = new Error("down");
  await expect(engine.update(id, "", { a: "A" })).rejects.toThrow("down");
  expect(await engine.answers(id)).toEqual({});
  jobs.state = asked;
  expect(await engine.update(id, "", { a: "A", b: "unknown" })).toMatchObject({ state: "working" });
  expect(jobs.calls.filter((call) => call.startsWith("update"))).toEqual([
    'update {"a":"A"}',
    'update {"a":"A"}',
  ]);
  clock.advance(100);
  expect(await engine.get(id, "")).toMatchObject({ state: "working", questions: {} });
});

test("a back end that fails or does not respond leaves its task unchanged", async () => {
  const jobs = makeBackend();
  const { engine, clock, errors } = makeEngine({ pollIntervalMs: 100, backendTimeoutMs: 500 });
  const task = await engine.start({ definition: jobs.definition });
  jobs.state = new Error("down");
  expect(await engine.get(task.id, "")).toEqual(task);
  clock.advance(100);
  jobs.state = "late";
  const reading = engine.get(task.id, "");
  await settled();
  clock.advance(500);
  expect(await reading).toEqual(task);
  expect(errors).toMatchObject([{ message: "down" }, { code: "LIMIT_EXCEEDED" }]);
});

test("the job of a cancelled or expired task is cancelled", async () => {
  const jobs = makeBackend();
  const { engine, pass } = makeEngine();
  const one = await engine.start({ definition: jobs.definition });
  expect(await engine.cancel(one.id, "", { graceMs: 5000 })).toMatchObject({ state: "cancelled" });
  await engine.cancel(one.id, "");
  expect(jobs.calls).toEqual(["cancel string"]);
  const two = await engine.start({ definition: jobs.definition, ttlMs: 2000 });
  await pass(3000);
  expect(await engine.get(two.id, "")).toMatchObject({ state: "failed" });
  expect(jobs.calls).toEqual(["cancel string", "cancel string"]);
});

test("waiting for the result of a job reads its state", async () => {
  const jobs = makeBackend();
  const { engine, pass } = makeEngine();
  const { id } = await engine.start({ definition: jobs.definition });
  const result = engine.result(id, "");
  await pass(3000);
  jobs.state = { state: "cancelled" };
  await pass(2000);
  expect(await result).toMatchObject({ state: "cancelled" });
});

test("a back end that returns a state which does not exist is reported, and the task stays as it is", async () => {
  const jobs = makeBackend();
  const { engine, errors } = makeEngine();
  const { id } = await engine.start({ definition: jobs.definition });
  jobs.state = { state: "done" } as never;
  expect(await engine.get(id, "")).toMatchObject({ state: "working", version: 1 });
  expect(String(errors)).toContain(
    `must be working, input_required, completed, failed or cancelled; got "done"`,
  );
});
