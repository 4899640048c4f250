import { expect, test, vi } from "vitest";

import { shareStateKeys, type AuthStore, type Stored } from "../src/index.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A store in memory. `@tenon/auth` has one for users. */
function memoryStore(): AuthStore {
  const values = new Map<string, Stored>();
  let last = 0;
  return {
    get: (key) => Promise.resolve(values.get(key)),
    put(key, value, { ifGeneration } = {}) {
      const present = values.get(key)?.generation ?? "absent";
      if (ifGeneration !== undefined && ifGeneration !== present) {
        return Promise.resolve("conflict");
      }
      values.set(key, { value, generation: ++last });
      return Promise.resolve(last);
    },
    delete: (key) => Promise.resolve(values.delete(key)),
  };
}

/** The date of one process. */
function dateOf(start = Date.UTC(2026, 10, 24)): { now: number; date(): number } {
  const clock = { now: start, date: () => clock.now };
  return clock;
}

test("processes that start at the same time share one key", async () => {
  const store = memoryStore();
  const all = await Promise.all(Array.from({ length: 8 }, () => shareStateKeys(store)()));
  const [first] = all;
  expect(first).toHaveLength(1);
  expect(first?.[0]?.secret).toMatch(/^[0-9a-f]{64}$/);
  expect(all).toEqual(all.map(() => first));
});

test("a new key encrypts only after every process has read it, although dates differ by 5 minutes", async () => {
  const store = memoryStore();
  const clock = dateOf();
  const [early, late] = [dateOf(clock.now - 5 * minuteMs), dateOf(clock.now + 5 * minuteMs)];
  const clocks = [clock, early, late];
  const processes = clocks.map((own) => shareStateKeys(store, { clock: own }));
  for (let minute = 0; minute < 3 * 1440; minute += 1) {
    const lists = await Promise.all(processes.map((read) => read()));
    const openers = lists.map((list) => new Set(list.map(({ id }) => id)));
    for (const [first] of lists) {
      expect(openers.every((ids) => ids.has(first?.id ?? ""))).toBe(true);
    }
    clocks.forEach((own) => (own.now += minuteMs));
  }
  const [last] = await (processes[0] as () => Promise<readonly { id: string }[]>)();
  expect(last?.id).toBeDefined();
});

test("keys are replaced once a day, and open states for another day", async () => {
  const store = memoryStore();
  const clock = dateOf();
  const keys = shareStateKeys(store, { clock });
  const [first] = await keys();
  clock.now += dayMs;
  expect((await keys()).map(({ id }) => id === first?.id)).toEqual([true, false]);
  clock.now += 8 * minuteMs;
  expect((await keys()).map(({ id }) => id === first?.id)).toEqual([false, true]);
  clock.now += dayMs;
  const ids = (await keys()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(ids).not.toContain(first?.id);
});

test("while the store fails the last keys are used, and the failure is reported", async () => {
  const memory = memoryStore();
  let isDown = false;
  const failure = new Error("down");
  const store: AuthStore = {
    ...memory,
    get: (key) => (isDown ? Promise.reject(failure) : memory.get(key)),
  };
  const clock = dateOf();
  const onError = vi.fn<(error: unknown) => void>();
  const keys = shareStateKeys(store, { clock, onError });
  const before = await keys();
  isDown = true;
  clock.now += minuteMs;
  expect(await keys()).toEqual(before);
  expect(await keys()).toEqual(before);
  expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
  await expect(shareStateKeys(store)()).rejects.toBe(failure);
});

test.each([
  [minuteMs, 1000],
  [200, 200],
])(
  "after a failure the keys are read again soon (refreshIntervalMs %i)",
  async (refreshIntervalMs, soonMs) => {
    const memory = memoryStore();
    let reads = 0;
    let isDown = false;
    const store: AuthStore = {
      ...memory,
      get(key) {
        reads++;
        return isDown ? Promise.reject(new Error("down")) : memory.get(key);
      },
    };
    const clock = dateOf();
    const keys = shareStateKeys(store, { clock, onError: () => undefined, limits: { refreshIntervalMs } });
    await keys();
    isDown = true;
    clock.now += refreshIntervalMs;
    await keys();
    const failed = reads;
    clock.now += soonMs - 1;
    await keys();
    expect(reads).toBe(failed);
    clock.now += 1;
    await keys();
    expect(reads).toBe(failed + 1);
  },
);

test("a deleted value is replaced by a new key, and another name has other keys", async () => {
  const store = memoryStore();
  const clock = dateOf();
  const keys = shareStateKeys(store, { clock });
  const [first] = await keys();
  await store.delete("state-keys");
  clock.now += minuteMs;
  const ids = [...(await keys()), ...(await shareStateKeys(store, { name: "other" })())].map(({ id }) => id);
  expect(new Set([...ids, first?.id]).size).toBe(3);
});

test("a value of another version is replaced", async () => {
  const store = memoryStore();
  for (const value of ["{}", "[]", "null", "no JSON", '{"version":2,"keys":[{"id":"x"}]}']) {
    await store.put("state-keys", value);
    expect(await shareStateKeys(store)()).toHaveLength(1);
  }
});

test("options that do not exist, and values out of range, are refused", () => {
  expect(() => shareStateKeys(memoryStore(), { nam: "x" } as object)).toThrow("name");
  expect(() => shareStateKeys(memoryStore(), { limits: { rotationIntervalMs: 0 } })).toThrow(
    "rotationIntervalMs",
  );
});
