import type { TestRunner } from "@tenon/jsonrpc2/testing";
import { describe, expect, test } from "vitest";

import {
  createMailbox,
  createMemoryBus,
  createMemoryLeases,
  createMemoryRateLimits,
  createMemorySessionStore,
  type SessionRecord,
  type SessionStore,
  type StoreClock,
} from "../src/index.ts";
import {
  busConformance,
  leasesConformance,
  rateLimitsConformance,
  sessionStoreConformance,
} from "../src/testing.ts";
import type { StoreSubjectFactory } from "../src/testing/check.ts";

/** Stores with a clock that only tests advance. */
function inMemory<Store extends AsyncDisposable>(
  create: (clock: StoreClock) => Store,
): StoreSubjectFactory<Store> {
  return () => {
    let now = Date.UTC(2026, 10, 24);
    const store = create({ date: () => now });
    return Promise.resolve({
      store,
      advance: (ms) => {
        now += ms;
        return Promise.resolve();
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    });
  };
}

const shared = { shared: true };

describe("a memory session store", () => {
  const count = sessionStoreConformance(
    { test },
    inMemory((clock) => createMemorySessionStore({ clock })),
    shared,
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(28);
  });
});

test("a full session store makes room of what has expired, whose ends are still announced", async () => {
  let now = 0;
  const store = createMemorySessionStore({ clock: { date: () => now }, limits: { maxSessions: 2 } });
  const create = (id: string, ttlMs: number): Promise<SessionRecord> =>
    store.create({ id, principal: undefined, opening: "{}", facts: "{}", node: undefined }, ttlMs);
  await create("a", 10);
  await create("b", 1000);
  await expect(create("c", 1000)).rejects.toMatchObject({ code: "STORE_FULL" });
  now = 10;
  await create("c", 1000);
  await expect(create("d", 1000)).rejects.toMatchObject({ code: "STORE_FULL" });
  expect((await store.sweep(10)).map(({ id }) => id)).toEqual(["a"]);
  expect(await store.sweep(10)).toEqual([]);
});

describe("a memory bus", () => {
  const count = busConformance(
    { test },
    inMemory(() => createMemoryBus()),
    shared,
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(21);
  });
});

describe("memory leases", () => {
  const count = leasesConformance(
    { test },
    inMemory((clock) => createMemoryLeases({ clock })),
    shared,
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(21);
  });
});

describe("memory rate limits", () => {
  const count = rateLimitsConformance(
    { test },
    inMemory((clock) => createMemoryRateLimits({ clock })),
    shared,
  );

  test("the kit has all its checks", () => {
    expect(count).toBe(12);
  });
});

describe("limits of memory stores", () => {
  test("a session store that is full refuses sessions and larger facts, until it is swept", async () => {
    let now = 0;
    const store = createMemorySessionStore({
      limits: { maxSessions: 2, maxLength: 20 },
      clock: { date: () => now },
    });
    const session = { principal: "ada", opening: "12345", facts: "", node: undefined };
    await store.create({ ...session, id: "a" }, 1000);
    await store.create({ ...session, id: "b" }, 9000);
    await expect(store.create({ ...session, id: "c" }, 1000)).rejects.toThrow("maxSessions");
    await expect(store.update("a", 1, { facts: "123456789" })).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await store.get("a", "ada")).toMatchObject({ version: 1, facts: "" });
    now = 2000;
    expect(await store.sweep(10)).toMatchObject([{ id: "a" }]);
    await store.create({ ...session, id: "c" }, 1000);
  });

  test("larger facts take the room of sessions that have expired", async () => {
    let now = 0;
    const store = createMemorySessionStore({ limits: { maxLength: 20 }, clock: { date: () => now } });
    const session = { principal: "ada", opening: "12345", facts: "", node: undefined };
    await store.create({ ...session, id: "a" }, 1000);
    await store.create({ ...session, id: "b" }, 9000);
    now = 2000;
    expect(await store.update("b", 1, { facts: "123456789" })).toMatchObject({ facts: "123456789" });
    expect(await store.sweep(10)).toMatchObject([{ id: "a" }]);
  });

  test("leases above the limit are refused until others have ended", async () => {
    let now = 0;
    const leases = createMemoryLeases({ limits: { maxLeases: 1 }, clock: { date: () => now } });
    await leases.acquire("a", "n1", 1000);
    await expect(leases.acquire("b", "n1", 1000)).rejects.toMatchObject({ code: "STORE_FULL" });
    now = 1000;
    expect(await leases.acquire("b", "n1", 1000)).toMatchObject({ holder: "n1" });
  });

  test("rate limits above the limit forget the bucket that was used the longest time ago", async () => {
    const limits = createMemoryRateLimits({ limits: { maxEntries: 2 }, clock: { date: () => 0 } });
    const rule = { burst: 1, perSecond: 1 };
    for (const key of ["a", "b", "c"]) {
      await limits.take(key, rule);
    }
    expect([
      (await limits.take("c", rule)).allowed,
      (await limits.take("b", rule)).allowed,
      (await limits.take("a", rule)).allowed,
    ]).toEqual([false, false, true]);
  });

  test("a mailbox refuses more messages than may wait", async () => {
    const mailbox = await createMailbox(createMemoryBus(), { limits: { maxPending: 1 } });
    const first = mailbox.ask("nobody", "1").catch((error: unknown) => error);
    await expect(mailbox.ask("nobody", "2")).rejects.toMatchObject({ code: "STORE_FULL" });
    await mailbox.close();
    expect(await first).toMatchObject({ code: "CLOSED" });
  });

  test("a listener of a bus that fails, at once or later, is reported", async () => {
    const errors: unknown[] = [];
    await using bus = createMemoryBus({ onError: (error) => void errors.push(error) });
    const fail = (): never => {
      throw new Error("at once");
    };
    const failLater = (): unknown => Promise.reject(new Error("later"));
    await bus.subscribe("topic", { message: fail, gap: fail });
    await bus.subscribe("topic", { message: failLater, gap: failLater });
    await bus.publish("topic", "1");
    await expect.poll(() => errors.map(String)).toEqual(["Error: at once", "Error: later"]);
  });

  test("options that do not exist are refused", () => {
    expect(() => createMemorySessionStore({ limits: { maxSession: 1 } as object })).toThrow("maxSessions");
    expect(() => createMemoryBus({ limits: {} } as object)).toThrow("onError");
  });
});

describe("the kits", () => {
  /** Runs the checks of a kit. @returns The names of those that failed. */
  async function failures(run: (runner: TestRunner) => unknown): Promise<string[]> {
    const tests: [name: string, run: () => Promise<void>][] = [];
    run({ test: (name, check) => tests.push([name, check]) });
    const failed: string[] = [];
    for (const [name, check] of tests) {
      await check().catch(() => failed.push(name));
    }
    return failed;
  }

  test("a session store that does not compare principals or versions fails", async () => {
    const careless = inMemory((clock): SessionStore => {
      const store = createMemorySessionStore({ clock });
      return {
        ...store,
        async get(id, principal) {
          return (await store.get(id, "ada")) ?? (await store.get(id, principal));
        },
        async update(id, version, patch) {
          const found = await store.update(id, version, patch);
          const { version: current = 0 } = (await store.get(id, "ada")) ?? {};
          return found === "conflict" ? store.update(id, current, patch) : found;
        },
      };
    });
    const failed = await failures((runner) => sessionStoreConformance(runner, careless, shared));
    expect(failed).toEqual(
      expect.arrayContaining([
        "a session of another principal is unknown",
        "an update for another version is a conflict and changes nothing",
        "of 32 simultaneous updates for one version exactly one succeeds",
      ]),
    );
  });

  test("leases that believe the date of each process fail", async () => {
    const skewed = inMemory((clock) => {
      const start = clock.date();
      const real = Date.now();
      return createMemoryLeases({ clock: { date: () => clock.date() - start + Date.now() - real + start } });
    });
    expect(await failures((runner) => leasesConformance(runner, skewed, shared))).toContain(
      "a process whose date is wrong by five minutes takes no lease, and its own last as long",
    );
  });
});
