import { describe, expect, test } from "vitest";

import { createMemoryTaskStore } from "../src/index.ts";
import { taskStoreConformance } from "../src/testing.ts";
import { completed, newTask, lease } from "../src/testing/check.ts";
import { createDatedClock } from "./support/clock.ts";

describe("a memory store", () => {
  const count = taskStoreConformance({ test }, () => {
    const clock = createDatedClock();
    const store = createMemoryTaskStore({ clock });
    return Promise.resolve({
      store,
      advance: (ms) => Promise.resolve(clock.advance(ms)),
      [Symbol.asyncDispose]: () => store.close(),
    });
  });

  test("the kit has all its checks", () => {
    expect(count).toBe(54);
  });
});

describe("limits of a memory store", () => {
  test("unfinished tasks are never deleted to make room", async () => {
    const store = createMemoryTaskStore({ limits: { maxTasks: 3 } });
    for (let index = 0; index < 3; index++) {
      await store.create(newTask());
    }
    await expect(store.create(newTask())).rejects.toMatchObject({
      code: "STORE_FULL",
      message: "Task store is full: the limit is 3 (maxTasks).",
    });
    expect(await store.list("ada", undefined, 10)).toHaveLength(3);
  });

  test("the task of the same principal that ended first makes room", async () => {
    const store = createMemoryTaskStore({ limits: { maxTasks: 3 } });
    const bobs = await store.create(newTask({ principal: "bob", ...completed }));
    const first = await store.create(newTask());
    const second = await store.create(newTask());
    await store.update(second.id, completed, { version: 1 });
    await store.update(first.id, completed, { version: 1 });
    await store.create(newTask());
    expect(await store.get(second.id, "ada")).toBeUndefined();
    expect(await store.get(first.id, "ada")).toBeDefined();
    await store.create(newTask());
    await store.create(newTask());
    expect(await store.get(first.id, "ada")).toBeUndefined();
    expect(await store.get(bobs.id, "bob")).toBeUndefined();
  });

  test("a principal that is full does not take the room of others", async () => {
    const store = createMemoryTaskStore({ limits: { maxTasksPerPrincipal: 2 } });
    const bobs = await store.create(newTask({ principal: "bob", ...completed }));
    await store.create(newTask());
    await store.create(newTask());
    await expect(store.create(newTask())).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await store.get(bobs.id, "bob")).toBeDefined();
    for (let index = 0; index < 3; index++) {
      await store.create(newTask({ principal: "" }));
    }
  });

  test("lengths are limited for a principal and in sum, and journals count", async () => {
    const store = createMemoryTaskStore({ limits: { maxLength: 6000, maxLengthPerPrincipal: 3000 } });
    const { id } = await store.create(newTask(), lease);
    const append = (key: string): Promise<boolean> =>
      store.append(id, 1, [{ kind: "step", key, value: "1".repeat(1500) }]);
    expect(await append("a")).toBe(true);
    await expect(append("b")).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await store.journal(id)).toHaveLength(1);
    await store.create(newTask({ principal: "", arguments: "1".repeat(2500) }));
    await expect(store.create(newTask({ principal: "bob", arguments: "1".repeat(2000) }))).rejects.toThrow(
      "maxLength)",
    );
  });

  test("a task can always end with a small outcome", async () => {
    const store = createMemoryTaskStore({ limits: { maxLength: 1000 } });
    const { id } = await store.create(newTask({ arguments: "1".repeat(400) }));
    const outcome = `{"result":"${"x".repeat(2000)}"}`;
    await expect(store.update(id, { state: "completed", outcome }, { version: 1 })).rejects.toThrow("full");
    expect(await store.update(id, completed, { version: 1 })).toMatchObject({ state: "completed" });
  });

  test("tasks of principals are claimed in turns", async () => {
    const store = createMemoryTaskStore();
    for (const principal of ["ada", "ada", "ada", "bob"]) {
      await store.create(newTask({ principal }));
    }
    const claimed = await store.claim({ ...lease, limit: 10 });
    expect(claimed.map(({ principal }) => principal)).toEqual(["ada", "bob", "ada", "ada"]);
  });

  test("options that do not exist are refused", () => {
    expect(() => createMemoryTaskStore({ limits: { maxTask: 1 } as object })).toThrow("maxTasks");
    expect(() => createMemoryTaskStore({ limits: { maxTasks: 0 } })).toThrow("1 or more");
  });
});
