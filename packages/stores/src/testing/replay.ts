import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { ReplayStore } from "../replay/contract.ts";
import {
  equal,
  eventually,
  interrupted,
  register,
  rejects,
  skewed,
  skewMs,
  times,
  type Check,
  type StoreConformanceOptions,
  type StoreSubjectFactory,
} from "./check.ts";

/** A proof like the hash of a real one. */
const proof = (name: string): string => name.padEnd(43, "A");

/** A date in the far future, in milliseconds since 1970. */
const future = Date.UTC(2100, 0);

const checks: readonly Check<ReplayStore>[] = [
  {
    name: "a proof is new once, for all processes",
    async run({ store, other }) {
      equal(await store.add(proof("a"), future), true);
      equal(await other.add(proof("a"), future), false);
      equal(await store.add(proof("a"), future), false);
      equal(await other.add(proof("b"), future), true);
    },
  },
  {
    name: "of simultaneous uses of one proof exactly one is new",
    async run({ store, other }) {
      for (let round = 0; round < 10; round++) {
        const added = await times(32, async (index) =>
          (index % 2 === 0 ? store : other).add(proof(`r${round}`), future),
        );
        equal(added.filter(Boolean).length, 1);
      }
    },
  },
  {
    name: "ten thousand proofs are remembered",
    async run({ store, other }) {
      for (let batch = 0; batch < 100; batch++) {
        const added = await times(100, async (index) => store.add(proof(`p${batch}-${index}-`), future));
        equal(added.every(Boolean), true);
      }
      for (const name of ["p0-0-", "p42-17-", "p99-99-"]) {
        equal(await other.add(proof(name), future), false);
      }
    },
  },
  {
    name: "a proof that was refused before is still refused after its use with another time",
    async run({ store, other }) {
      equal(await store.add(proof("a"), future), true);
      equal(await other.add(proof("a"), future - 1000), false);
      equal(await store.add(proof("a"), future + 1000), false);
    },
  },
  {
    name: "characters of base64url are all different",
    async run({ store }) {
      const keys = ["a", "A", "-", "_", "0"].map((last) => `${"x".repeat(42)}${last}`);
      for (const key of keys) {
        equal(await store.add(key, future), true);
      }
    },
  },
  {
    name: "proofs survive the process",
    only: "durable",
    async run({ store, reopen }) {
      equal(await store.add(proof("a"), future), true);
      const next = await reopen();
      equal(await next.add(proof("a"), future), false);
    },
  },
  {
    name: "a process whose date is wrong by five minutes accepts no used proof",
    only: "shared",
    async run({ store, other }) {
      const soon = Date.now() + 3_600_000;
      for (const [index, wrong] of [skewMs, -skewMs].entries()) {
        equal(await store.add(proof(`a${index}`), soon), true);
        equal(await skewed(wrong, async () => other.add(proof(`a${index}`), soon)), false);
        equal(await skewed(wrong, async () => other.add(proof(`b${index}`), soon)), true);
        equal(await store.add(proof(`b${index}`), soon), false);
      }
    },
  },
  {
    name: "a proof that is remembered for a fraction of a millisecond, or indefinitely, is new once",
    async run({ store, other }) {
      for (const [index, until] of [future + 0.5, 8_640_000_000_000_000].entries()) {
        equal(await store.add(proof(`a${index}`), until), true);
        equal(await other.add(proof(`a${index}`), until), false);
      }
    },
  },
  {
    name: "proofs that were new just before the store was unreachable are refused afterwards",
    only: "stops",
    async run({ store, stop, restore }) {
      const added = await interrupted(50, async (index) => store.add(proof(`p${index}-`), future), stop);
      await restore();
      for (const [index, wasNew] of added.entries()) {
        const isNew = await eventually(async () => store.add(proof(`p${index}-`), future));
        equal(wasNew === true && isNew, false);
      }
    },
  },
  {
    name: "while the store is unreachable every proof is refused, and afterwards none is forgotten",
    only: "stops",
    async run({ store, stop, restore }) {
      equal(await store.add(proof("a"), future), true);
      await stop();
      await rejects(() => store.add(proof("b"), future), "STORE_FAILED");
      await restore();
      equal(await eventually(async () => store.add(proof("a"), future)), false);
    },
  },
];

/**
 * Registers the checks that every `ReplayStore` must pass, one test each.
 *
 * @param runner - Where to register them.
 * @param make - Creates the store under test.
 * @returns How many checks were registered.
 */
export function replayStoreConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<ReplayStore>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, checks, make, options);
}
