import type { TestRunner } from "@tenon/jsonrpc2/testing";

import type { RateLimits } from "../rate/contract.ts";
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

const rule = { burst: 5, perSecond: 0.01 };

async function allowed(limits: RateLimits, key: string, count: number): Promise<number> {
  const decisions = await times(count, () => limits.take(key, rule));
  return decisions.filter((decision) => decision.allowed).length;
}

const checks: readonly Check<RateLimits>[] = [
  {
    name: "a burst is allowed, and then nothing until something came back",
    async run({ store, other, advance }) {
      for (let remaining = 4; remaining >= 0; remaining--) {
        equal(await store.take("key", rule), { allowed: true, remaining, retryAfterMs: 0 });
      }
      const refused = await other.take("key", rule);
      equal([refused.allowed, refused.remaining], [false, 0]);
      equal(refused.retryAfterMs > 0 && refused.retryAfterMs <= 100_000, true);
      await advance(100_000);
      equal((await other.take("key", rule)).allowed, true);
      equal((await store.take("key", rule)).allowed, false);
    },
  },
  {
    name: "of simultaneous requests of all processes as many are allowed as the burst",
    async run({ store, other }) {
      const counts = await Promise.all([allowed(store, "key", 20), allowed(other, "key", 20)]);
      equal((counts[0] ?? 0) + (counts[1] ?? 0), 5);
    },
  },
  {
    name: "a rejected request takes nothing",
    async run({ store, other, advance }) {
      await allowed(store, "key", 5);
      equal(await allowed(other, "key", 50), 0);
      await advance(200_000);
      equal(await allowed(other, "key", 5), 2);
    },
  },
  {
    name: "a bucket never holds more than the burst",
    async run({ store, advance }) {
      await allowed(store, "key", 5);
      await advance(6_000_000);
      equal(await allowed(store, "key", 20), 5);
    },
  },
  {
    name: "a cost of several takes as much, and more than the burst is never allowed",
    async run({ store }) {
      equal(await store.take("key", rule, 3), { allowed: true, remaining: 2, retryAfterMs: 0 });
      equal((await store.take("key", rule, 3)).allowed, false);
      equal((await store.take("key", rule, 2)).allowed, true);
      const never = await store.take("fresh", rule, 6);
      equal([never.allowed, never.retryAfterMs === Infinity], [false, true]);
    },
  },
  {
    name: "keys have buckets of their own, whatever characters they have",
    async run({ store, other }) {
      for (const key of ["a", "A", "a b", "é", "{a}", "a\u0000b", "a\u0000", "127.0.0.1", "::1", ""]) {
        equal(await allowed(store, key, 6), 5);
        equal((await other.take(key, rule)).allowed, false);
      }
    },
  },
  {
    name: "rules that make no sense are refused",
    async run({ store }) {
      for (const [bad, cost] of [
        [{ burst: 0, perSecond: 1 }, 1],
        [{ burst: 1, perSecond: 0 }, 1],
        [{ burst: 1, perSecond: NaN }, 1],
        [rule, 0],
        [rule, -1],
      ] as const) {
        let isRefused = false;
        await store.take("key", bad, cost).catch(() => {
          isRefused = true;
        });
        equal(isRefused, true);
      }
      equal(await allowed(store, "key", 6), 5);
    },
  },
  {
    name: "a process whose date is wrong by five minutes gets no more than others",
    only: "shared",
    async run({ store, other }) {
      equal(await allowed(store, "key", 6), 5);
      for (const wrong of [skewMs, -skewMs]) {
        equal(await skewed(wrong, () => allowed(other, "key", 5)), 0);
      }
    },
  },
  {
    name: "ten thousand buckets are kept apart",
    only: "shared",
    async run({ store, other }) {
      const once = { burst: 1, perSecond: 0.001 };
      for (let batch = 0; batch < 100; batch++) {
        const decisions = await times(100, (index) => store.take(`key ${batch} ${index}`, once));
        equal(
          decisions.every((decision) => decision.allowed),
          true,
        );
      }
      for (const key of ["key 0 0", "key 17 42", "key 99 99"]) {
        equal((await other.take(key, once)).allowed, false);
      }
    },
  },
  {
    name: "requests of all processes share what comes back",
    async run({ store, other, advance }) {
      await allowed(store, "key", 5);
      for (let round = 0; round < 3; round++) {
        await advance(200_000);
        const counts = await Promise.all([allowed(store, "key", 8), allowed(other, "key", 8)]);
        equal((counts[0] ?? 0) + (counts[1] ?? 0), 2);
      }
    },
  },
  {
    name: "two rules for one key count in one bucket",
    async run({ store, other }) {
      equal((await store.take("key", { burst: 2, perSecond: 0.01 }, 2)).allowed, true);
      equal((await other.take("key", { burst: 4, perSecond: 0.01 }, 2)).allowed, true);
      equal((await store.take("key", { burst: 2, perSecond: 0.01 })).allowed, false);
    },
  },
  {
    name: "buckets survive the process",
    only: "durable",
    async run({ store, reopen }) {
      equal(await allowed(store, "key", 5), 5);
      equal(await allowed(await reopen(), "key", 5), 0);
    },
  },
  {
    name: "requests that the store cut off take no more than the burst",
    only: "stops",
    async run({ store, stop, restore }) {
      const slow = { burst: 10, perSecond: 0.001 };
      const decisions = await interrupted(20, () => store.take("key", slow), stop);
      await restore();
      const before = decisions.filter((decision) => decision?.allowed === true).length;
      const after: boolean[] = [];
      for (let count = 0; count < 20; count++) {
        after.push((await eventually(() => store.take("key", slow))).allowed);
      }
      equal(before + after.filter(Boolean).length <= 10, true);
    },
  },
  {
    name: "while the store is unreachable every call fails, and afterwards buckets are as before",
    only: "stops",
    async run({ store, stop, restore }) {
      const slow = { burst: 2, perSecond: 0.001 };
      equal((await store.take("key", slow, 2)).allowed, true);
      await stop();
      await rejects(() => store.take("key", slow), "STORE_FAILED");
      await restore();
      equal((await eventually(() => store.take("key", slow))).allowed, false);
    },
  },
  {
    name: "closed rate limits refuse everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(() => store.take("key", rule), "CLOSED");
    },
  },
];

/**
 * Registers the checks that every `RateLimits` must pass, one test each. No other test
 * may run in the process at the same time, because some checks change `Date.now`.
 *
 * @param runner - Where to register them.
 * @param make - Creates the rate limits under test.
 * @returns How many checks were registered.
 */
export function rateLimitsConformance(
  runner: TestRunner,
  make: StoreSubjectFactory<RateLimits>,
  options: StoreConformanceOptions = {},
): number {
  return register(runner, checks, make, options);
}
