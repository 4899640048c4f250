import type { Leases } from "../../lease/contract.ts";
import { equal, present, times, type Check } from "../check.ts";

/** Holders and fences of leases. */
export const holders: readonly Check<Leases>[] = [
  {
    name: "a free key is leased, and every process sees its holder",
    async run({ store, other }) {
      const lease = present(await store.acquire("key", "n1", 60_000));
      equal([lease.holder, lease.fence > 0], ["n1", true]);
      equal(await other.current("key"), lease);
      equal(await other.current("another"), undefined);
    },
  },
  {
    name: "a key that is leased is refused to others",
    async run({ store, other }) {
      const lease = present(await store.acquire("key", "n1", 60_000));
      equal(await other.acquire("key", "n2", 60_000), undefined);
      equal(await other.current("key"), lease);
      equal(await store.renew("key", lease.fence, 60_000), true);
    },
  },
  {
    name: "of simultaneous acquisitions exactly one succeeds",
    async run({ store, other }) {
      const leases = await times(32, (index) =>
        (index % 2 === 0 ? store : other).acquire("key", `n${index}`, 60_000),
      );
      const won = leases.filter((lease) => lease !== undefined);
      equal(won.length, 1);
      equal(await store.current("key"), won[0]);
    },
  },
  {
    name: "a lease that ended can be acquired by another, with a greater fence",
    async run({ store, other, advance }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      await advance(50_000);
      equal(await other.acquire("key", "n2", 60_000), undefined);
      await advance(20_000);
      equal(await other.current("key"), undefined);
      const second = present(await other.acquire("key", "n2", 60_000));
      equal(second.fence > first.fence, true);
      equal((await store.current("key"))?.holder, "n2");
    },
  },
  {
    name: "a renewed lease lasts longer, with the same fence",
    async run({ store, other, advance }) {
      const { fence } = present(await store.acquire("key", "n1", 60_000));
      await advance(50_000);
      equal(await store.renew("key", fence, 60_000), true);
      await advance(50_000);
      equal(await other.acquire("key", "n2", 60_000), undefined);
      equal((await other.current("key"))?.fence, fence);
    },
  },
  {
    name: "renewing counts from now, and may shorten a lease",
    async run({ store, other, advance }) {
      const { fence } = present(await store.acquire("key", "n1", 600_000));
      equal(await store.renew("key", fence, 60_000), true);
      await advance(70_000);
      equal((await other.acquire("key", "n2", 60_000))?.holder, "n2");
    },
  },
  {
    name: "a lease that ended cannot be renewed, even if its key is free",
    async run({ store, advance }) {
      const { fence } = present(await store.acquire("key", "n1", 60_000));
      await advance(70_000);
      equal(await store.renew("key", fence, 60_000), false);
      equal(await store.release("key", fence), false);
      equal(await store.current("key"), undefined);
    },
  },
  {
    name: "an old fence neither renews nor releases the lease of another",
    async run({ store, other, advance }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      await advance(70_000);
      const second = present(await other.acquire("key", "n2", 60_000));
      equal(await store.renew("key", first.fence, 60_000), false);
      equal(await store.release("key", first.fence), false);
      equal(await store.renew("key", second.fence + 1, 60_000), false);
      equal(await store.current("key"), second);
    },
  },
  {
    name: "a released key can be acquired at once, with a greater fence",
    async run({ store, other }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      equal(await store.release("key", first.fence), true);
      equal(await store.release("key", first.fence), false);
      equal(await other.current("key"), undefined);
      const second = present(await other.acquire("key", "n2", 60_000));
      equal(second.fence > first.fence, true);
      equal(await store.renew("key", first.fence, 60_000), false);
    },
  },
  {
    name: "a holder that acquires its own lease again gets a new fence",
    async run({ store, other }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      const second = present(await other.acquire("key", "n1", 60_000));
      equal(second.fence > first.fence, true);
      equal(await store.renew("key", first.fence, 60_000), false);
      equal(await store.renew("key", second.fence, 60_000), true);
    },
  },
  {
    name: "a lease can be taken over, and its former holder is fenced off",
    async run({ store, other }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      const second = present(await other.acquire("key", "n2", 60_000, { takeOver: true }));
      equal([second.holder, second.fence > first.fence], ["n2", true]);
      equal(await store.renew("key", first.fence, 60_000), false);
      equal(await store.release("key", first.fence), false);
      equal(await store.current("key"), second);
    },
  },
  {
    name: "of simultaneous takeovers all have fences of their own, and the greatest one holds",
    async run({ store, other }) {
      await store.acquire("key", "n", 60_000);
      const leases = await times(32, (index) =>
        (index % 2 === 0 ? store : other).acquire("key", `n${index}`, 60_000, { takeOver: true }),
      );
      const fences = leases.map((lease) => lease?.fence ?? 0);
      equal(new Set(fences).size, 32);
      equal((await store.current("key"))?.fence, Math.max(...fences));
    },
  },
  {
    name: "fences grow through many acquisitions, releases and ends",
    async run({ store, other, advance }) {
      let last = 0;
      for (let round = 0; round < 50; round++) {
        const one = round % 2 === 0 ? store : other;
        const { fence } = present(await one.acquire("key", `n${round}`, 60_000));
        equal(fence > last, true);
        last = fence;
        if (round % 3 === 0) {
          await advance(70_000);
        } else {
          equal(await one.release("key", fence), true);
        }
      }
    },
  },
  {
    name: "keys are leased independently",
    async run({ store, other }) {
      const made = await times(200, (index) => store.acquire(`key${index}`, "n1", 60_000));
      equal(
        made.every((lease) => lease !== undefined),
        true,
      );
      equal((await other.current("key7"))?.fence, made[7]?.fence);
      equal(await other.release("key7", made[7]?.fence ?? 0), true);
      equal((await other.current("key8"))?.holder, "n1");
    },
  },
  {
    name: "keys are compared exactly, whatever characters they have",
    async run({ store, other }) {
      const keys = ["a", "A", "a:b", "{a}", "a}", "*", "%61", "a'b", 'a"b', "a\\b", "a".repeat(200)];
      for (const key of keys) {
        present(await store.acquire(key, `of:${key.slice(0, 100)}`, 60_000));
      }
      for (const key of keys) {
        equal((await other.current(key))?.holder, `of:${key.slice(0, 100)}`);
      }
    },
  },
  {
    name: "names that are not visible ASCII, empty or too long are refused",
    async run({ store }) {
      for (const [key, holder] of [
        ["", "n"],
        ["é", "n"],
        ["a b", "n"],
        ["k", ""],
        ["k".repeat(201), "n"],
      ] as const) {
        let isRefused = false;
        await store.acquire(key, holder, 60_000).catch(() => {
          isRefused = true;
        });
        equal(isRefused, true);
      }
    },
  },
];
