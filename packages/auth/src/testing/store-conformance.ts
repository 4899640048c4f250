import type { AuthStore } from "../client/store.ts";

/** A test runner, as far as the kit needs one: vitest, `node:test` and most others fit. */
export interface TestRunner {
  /** Registers a test. */
  test(name: string, run: () => Promise<void>): unknown;
}

/** A store under test. */
export interface StoreUnderTest extends AsyncDisposable {
  /** The store. */
  readonly store: AuthStore;
  /** The same data as another process sees it. Default: the same object. */
  readonly other?: AuthStore | undefined;
}

/** Creates an empty store. Called once for each check. */
export type StoreFactory = () => Promise<StoreUnderTest>;

interface Check {
  readonly name: string;
  run(one: AuthStore, other: AuthStore): Promise<void>;
}

const checks: readonly Check[] = [
  {
    name: "a key without a value has none",
    async run(one) {
      equal(await one.get("key"), undefined);
      equal(await one.delete("key"), false);
    },
  },
  {
    name: "a value is returned as it was written, with the generation of its write",
    async run(one, other) {
      const value = JSON.stringify({ text: "é\u0000😀", list: [1] });
      const generation = await one.put("tokens/https://as.example", value);
      equal(await other.get("tokens/https://as.example"), { value, generation });
      equal(await one.get("tokens/https://as.exampl"), undefined);
    },
  },
  {
    name: "each write has its own generation",
    async run(one, other) {
      const generations = [await one.put("key", "1"), await other.put("key", "1"), await one.put("key", "2")];
      equal(new Set(generations).size, 3);
      equal((await other.get("key"))?.value, "2");
    },
  },
  {
    name: "a write for a generation succeeds only while the value has this generation",
    async run(one, other) {
      const first = numberOf(await one.put("key", "1"));
      const second = numberOf(await other.put("key", "2", { ifGeneration: first }));
      equal(await one.put("key", "3", { ifGeneration: first }), "conflict");
      equal(await one.get("key"), { value: "2", generation: second });
    },
  },
  {
    name: "a write for an absent value succeeds once",
    async run(one, other) {
      numberOf(await one.put("key", "1", { ifGeneration: "absent" }));
      equal(await other.put("key", "2", { ifGeneration: "absent" }), "conflict");
      equal(await other.put("other", "2", { ifGeneration: 1 }), "conflict");
      equal((await one.get("key"))?.value, "1");
    },
  },
  {
    name: "of simultaneous writes for one generation exactly one succeeds",
    async run(one, other) {
      const first = numberOf(await one.put("key", "first"));
      const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other));
      const written = await Promise.all(
        stores.map((store, index) => store.put("key", String(index), { ifGeneration: first })),
      );
      const winners = written.flatMap((generation, index) => (generation === "conflict" ? [] : [index]));
      equal(winners.length, 1);
      equal((await other.get("key"))?.value, String(winners[0]));
    },
  },
  {
    name: "a value is deleted for its generation only",
    async run(one, other) {
      const first = numberOf(await one.put("key", "1"));
      const second = numberOf(await other.put("key", "2"));
      equal(await one.delete("key", { ifGeneration: first }), false);
      equal(await one.delete("key", { ifGeneration: second }), true);
      equal(await other.get("key"), undefined);
      equal(await other.delete("key"), false);
    },
  },
  {
    name: "a write for the generation of a deleted value conflicts: late writers bring nothing back",
    async run(one, other) {
      const first = numberOf(await one.put("key", "1"));
      equal(await other.delete("key"), true);
      equal(await one.put("key", "2", { ifGeneration: first }), "conflict");
      equal(await one.get("key"), undefined);
      numberOf(await one.put("key", "3", { ifGeneration: "absent" }));
      equal(await one.put("key", "4", { ifGeneration: first }), "conflict");
    },
  },
  {
    name: "a lock has one holder at a time, and each waits its turn",
    async run(one, other) {
      if (one.lock === undefined || other.lock === undefined) {
        return;
      }
      let holders = 0;
      let most = 0;
      let turns = 0;
      const hold = async (store: AuthStore): Promise<void> => {
        const lock = await store.lock?.("key", new AbortController().signal);
        holders++;
        turns++;
        most = Math.max(most, holders);
        await store.put("shared", String(turns));
        holders--;
        await lock?.[Symbol.asyncDispose]();
      };
      await Promise.all([one, other, one, other].map(hold));
      equal([most, turns], [1, 4]);
    },
  },
  {
    name: "locks of different keys do not wait for each other",
    async run(one, other) {
      const { signal } = new AbortController();
      const first = await one.lock?.("one", signal);
      const second = await other.lock?.("other", signal);
      await second?.[Symbol.asyncDispose]();
      await first?.[Symbol.asyncDispose]();
    },
  },
  {
    name: "a signal ends the wait for a lock, and the next in line gets it",
    async run(one, other) {
      const { signal } = new AbortController();
      const held = await one.lock?.("key", signal);
      const leaving = new AbortController();
      const waiting = other.lock?.("key", leaving.signal).then(
        () => "acquired",
        (error: unknown) => error,
      );
      const next = one.lock?.("key", signal);
      const reason = new Error("enough");
      leaving.abort(reason);
      equal((await waiting) ?? reason, reason);
      await held?.[Symbol.asyncDispose]();
      await (await next)?.[Symbol.asyncDispose]();
    },
  },
];

/**
 * Registers the checks that every {@link AuthStore} must pass, one test each.
 *
 * @param runner - Where to register them.
 * @returns How many checks were registered.
 */
export function storeConformance(runner: TestRunner, factory: StoreFactory): number {
  for (const { name, run } of checks) {
    runner.test(name, async () => {
      const { store, other = store, [Symbol.asyncDispose]: dispose } = await factory();
      try {
        await run(store, other);
      } finally {
        await dispose();
      }
    });
  }
  return checks.length;
}

function equal(actual: unknown, expected: unknown): void {
  if (actual !== expected && JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`The store must return ${JSON.stringify(expected)}; got ${JSON.stringify(actual)}.`);
  }
}

function numberOf(generation: number | "conflict"): number {
  if (generation === "conflict") {
    throw new Error("The store must accept the write; got a conflict.");
  }
  return generation;
}
