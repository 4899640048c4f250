import type { Leases } from "../../lease/contract.ts";
import {
  equal,
  eventually,
  interrupted,
  present,
  rejects,
  skewed,
  skewMs,
  times,
  type Check,
} from "../check.ts";

/** Clocks, restarts and failures. */
export const leaseTrouble: readonly Check<Leases>[] = [
  {
    name: "a process whose date is wrong by five minutes takes no lease, and its own last as long",
    only: "shared",
    async run({ store, other, advance }) {
      for (const wrong of [skewMs, -skewMs]) {
        const first = present(await store.acquire("key", "n1", 60_000));
        await skewed(wrong, async () => {
          equal(await other.acquire("key", "n2", 60_000), undefined);
          equal(await other.current("key"), first);
        });
        await advance(70_000);
        const second = await skewed(wrong, () => other.acquire("key", "n2", 60_000));
        equal((second?.fence ?? 0) > first.fence, true);
        equal(await store.acquire("key", "n1", 60_000), undefined);
        await advance(70_000);
      }
    },
  },
  {
    name: "a process with an earlier date still gets greater fences",
    only: "shared",
    async run({ store, other }) {
      const first = present(await store.acquire("key", "n1", 60_000));
      await store.release("key", first.fence);
      const second = await skewed(-skewMs, () => other.acquire("key", "n2", 60_000));
      equal((second?.fence ?? 0) > first.fence, true);
    },
  },
  {
    name: "leases and fences survive the process",
    only: "durable",
    async run({ store, reopen }) {
      const first = present(await store.acquire("key", "n1", 600_000));
      const released = present(await store.acquire("released", "n1", 600_000));
      await store.release("released", released.fence);
      const next = await reopen();
      equal(await next.current("key"), first);
      equal(await next.acquire("key", "n2", 60_000), undefined);
      equal(present(await next.acquire("released", "n2", 60_000)).fence > released.fence, true);
    },
  },
  {
    name: "while the store is unreachable every call fails, and afterwards the lease is the same",
    only: "stops",
    async run({ store, stop, restore }) {
      const lease = present(await store.acquire("key", "n1", 600_000));
      await stop();
      await rejects(() => store.renew("key", lease.fence, 600_000), "STORE_FAILED");
      await rejects(() => store.acquire("key", "n2", 600_000), "STORE_FAILED");
      await rejects(() => store.current("key"), "STORE_FAILED");
      await restore();
      const after = await eventually(() => store.current("key"));
      equal([after?.fence, after?.holder], [lease.fence, "n1"]);
    },
  },
  {
    name: "a lease that ends during 10 seconds without the store is free afterwards, and its holder cannot renew it",
    only: "stops",
    async run({ store, other, stop, restore, advance }) {
      const first = present(await store.acquire("key", "n1", 5000));
      await stop();
      await rejects(() => store.renew("key", first.fence, 5000), "STORE_FAILED");
      await advance(10_000);
      await restore();
      equal(await eventually(() => store.renew("key", first.fence, 5000)), false);
      const second = await eventually(() => other.acquire("key", "n2", 60_000));
      equal((second?.fence ?? 0) > first.fence, true);
    },
  },
  {
    name: "of acquisitions that the store cut off one holds, and those that succeeded were not refused to others",
    only: "stops",
    async run({ store, stop, restore }) {
      const acquired = await interrupted(20, (index) => store.acquire("key", `n${index}`, 600_000), stop);
      await restore();
      const holder = present(await eventually(() => store.current("key")));
      const won = acquired.filter((lease) => lease !== undefined);
      equal(won.length <= 1 && won.every(({ fence }) => fence === holder.fence), true);
    },
  },
  {
    name: "ten thousand keys are leased apart",
    only: "shared",
    async run({ store, other }) {
      for (let batch = 0; batch < 100; batch++) {
        const leases = await times(100, (index) => store.acquire(`key-${batch}-${index}`, "n1", 600_000));
        equal(leases.filter(Boolean).length, 100);
      }
      for (const key of ["key-0-0", "key-17-42", "key-99-99"]) {
        equal(await other.acquire(key, "n2", 60_000), undefined);
      }
    },
  },
  {
    name: "of a renewal and a takeover at the same time the takeover holds",
    only: "shared",
    async run({ store, other }) {
      for (let round = 0; round < 20; round++) {
        const first = present(await store.acquire(`key-${round}`, "n1", 60_000));
        const [taken] = await Promise.all([
          other.acquire(`key-${round}`, "n2", 60_000, { takeOver: true }),
          store.renew(`key-${round}`, first.fence, 600_000),
        ]);
        equal(await store.current(`key-${round}`), present(taken));
        equal(await store.renew(`key-${round}`, first.fence, 60_000), false);
      }
    },
  },
  {
    name: "closed leases refuse everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(() => store.acquire("key", "n1", 60_000), "CLOSED");
      await rejects(() => store.renew("key", 1, 60_000), "CLOSED");
      await rejects(() => store.release("key", 1), "CLOSED");
      await rejects(() => store.current("key"), "CLOSED");
    },
  },
];
