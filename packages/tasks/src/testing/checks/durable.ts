import { completed, equal, ids, lease, newTask, record, type TaskStoreCheck } from "../check.ts";

/** Checks of data that survives the end of a process. */
export const durable: readonly TaskStoreCheck[] = [
  {
    name: "tasks, outcomes, input requests and journals survive the process",
    reopens: true,
    async run({ store, reopen }) {
      const ended = await store.create(newTask());
      const asking = await store.create(newTask(), lease);
      const entry = { kind: "step", key: "a", value: '"é"' } as const;
      equal(await store.append(asking.id, 1, [entry]), true);
      const waits = record(
        await store.update(
          asking.id,
          { state: "input_required", questions: { q: "1" } },
          { version: 1, fence: 1 },
        ),
      );
      const over = record(await store.update(ended.id, completed, { version: 1 }));
      const next = await reopen();
      equal(await next.get(ended.id, "ada"), over);
      equal(await next.get(asking.id, "ada"), waits);
      equal(await next.journal(asking.id), [entry]);
      equal(ids(await next.list("ada", undefined, 10)).toSorted(), [ended.id, asking.id].toSorted());
      equal(await next.update(ended.id, completed, { version: 2 }), "ended");
    },
  },
  {
    name: "a task that a dead process ran can be claimed, with a fence that it does not know",
    reopens: true,
    async run({ store, reopen, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      const next = await reopen();
      await advance(25_000);
      const [claimed] = await next.claim({ worker: "w2", leaseMs: 20_000, limit: 10 });
      equal([claimed?.id, claimed?.attempt], [id, 2]);
      equal((claimed?.fence ?? 0) > 1, true);
    },
  },
  {
    name: "the lifetime of a task continues while no process runs",
    reopens: true,
    async run({ store, reopen, advance }) {
      const { id } = await store.create(newTask({ ttlMs: 20_000 }));
      record(await store.update(id, completed, { version: 1 }));
      const overdue = await store.create(newTask({ ttlMs: 20_000 }));
      const next = await reopen();
      await advance(25_000);
      equal(await next.get(id, "ada"), undefined);
      const swept = await next.sweep(10);
      equal([swept.deleted, ids(swept.overdue)], [1, [overdue.id]]);
    },
  },
];
