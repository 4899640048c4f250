import { completed, equal, ids, lease, newTask, record, type TaskStoreCheck } from "../check.ts";

/** Lifetimes, sweeping and lists. */
export const lifetime: readonly TaskStoreCheck[] = [
  {
    name: "an ended task is unknown from the end of its lifetime on, swept or not",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask({ ttlMs: 20_000 }));
      record(await store.update(id, completed, { version: 1 }));
      equal((await other.get(id, "ada"))?.state, "completed");
      await advance(25_000);
      equal(await other.get(id, "ada"), undefined);
      equal(await other.get(id, undefined), undefined);
      equal(await other.list("ada", undefined, 10), []);
      equal(await other.update(id, completed, { version: 2 }), "gone");
    },
  },
  {
    name: "an unfinished task stays readable after its lifetime, and is reported as overdue",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask({ ttlMs: 20_000 }), lease);
      equal((await store.sweep(10)).overdue, []);
      await advance(25_000);
      const { deleted, overdue } = await other.sweep(10);
      equal([deleted, ids(overdue)], [0, [id]]);
      equal(ids((await other.sweep(10)).overdue), [id]);
      equal((await store.get(id, "ada"))?.state, "working");
    },
  },
  {
    name: "sweep deletes ended tasks after their lifetime, at most as many as allowed",
    async run({ store, advance }) {
      for (let count = 0; count < 5; count++) {
        const { id } = await store.create(newTask({ ttlMs: 20_000 }));
        record(await store.update(id, completed, { version: 1 }));
      }
      const kept = await store.create(newTask({ ttlMs: 60_000 }));
      equal((await store.sweep(10)).deleted, 0);
      await advance(25_000);
      equal((await store.sweep(3)).deleted, 3);
      equal((await store.sweep(10)).deleted, 2);
      equal((await store.sweep(10)).deleted, 0);
      equal((await store.get(kept.id, "ada"))?.id, kept.id);
    },
  },
  {
    name: "retainMs extends a lifetime and never shortens one",
    async run({ store, advance }) {
      const short = await store.create(newTask({ ttlMs: 20_000 }));
      const long = await store.create(newTask({ ttlMs: 60_000 }));
      await advance(25_000);
      const kept = record(await store.update(short.id, { ...completed, retainMs: 60_000 }, { version: 1 }));
      equal(kept.expiresAt, kept.updatedAt + 60_000);
      const same = record(await store.update(long.id, { ...completed, retainMs: 1 }, { version: 1 }));
      equal(same.expiresAt, long.expiresAt);
      equal((await store.get(short.id, "ada"))?.state, "completed");
    },
  },
  {
    name: "a new lifetime counts from creation",
    async run({ store }) {
      const { id, createdAt } = await store.create(newTask({ ttlMs: 20_000 }));
      equal(record(await store.update(id, { ttlMs: 50_000 }, { version: 1 })).expiresAt, createdAt + 50_000);
      equal(record(await store.update(id, { ttlMs: null }, { version: 2 })).expiresAt, null);
      const { ttlMs, expiresAt } = record(await store.update(id, { ttlMs: 70 }, { version: 3 }));
      equal([ttlMs, expiresAt], [70, createdAt + 70]);
    },
  },
  {
    name: "a list has the tasks of one principal, oldest first",
    async run({ store, other, advance }) {
      const made: string[] = [];
      for (let count = 0; count < 5; count++) {
        made.push((await store.create(newTask())).id);
        await store.create(newTask({ principal: "bob" }));
        await advance(5);
      }
      equal(ids(await other.list("ada", undefined, 10)), made);
      equal(await other.list("eve", undefined, 10), []);
    },
  },
  {
    name: "pages continue after a position, also among tasks of the same time and after a deletion",
    async run({ store }) {
      const made = await Promise.all(Array.from({ length: 25 }, () => store.create(newTask())));
      const listed: string[] = [];
      for (let page = await store.list("ada", undefined, 4); page.length > 0;) {
        listed.push(...ids(page));
        page = await store.list("ada", page.at(-1), 4);
      }
      equal(listed.toSorted(), ids(made).toSorted());
      equal(new Set(listed).size, 25);
      const first = await store.list("ada", undefined, 25);
      const between = { createdAt: first[9]?.createdAt ?? 0, id: `${first[9]?.id ?? ""}~` };
      equal(ids(await store.list("ada", between, 1)), [first[10]?.id]);
    },
  },
  {
    name: "tasks that are created between two pages do not move the others",
    async run({ store, advance }) {
      const made: string[] = [];
      for (let count = 0; count < 6; count++) {
        made.push((await store.create(newTask())).id);
        await advance(5);
      }
      const first = await store.list("ada", undefined, 3);
      const late = await store.create(newTask());
      equal(ids([...first, ...(await store.list("ada", first.at(-1), 10))]), [...made, late.id]);
    },
  },
  {
    name: "the change of a task is announced to every process, with its version",
    async run({ store, other }) {
      const seen = new Map<string, number>();
      let done: () => void = () => undefined;
      const told = new Promise<void>((resolve) => {
        done = resolve;
      });
      const watch = await other.watch((id, version) => {
        seen.set(id, Math.max(seen.get(id) ?? 0, version));
        if (version === 3) {
          done();
        }
      });
      const { id } = await store.create(newTask());
      record(await store.update(id, {}, { version: 1 }));
      record(await store.update(id, {}, { version: 2 }));
      await told;
      equal(seen.get(id), 3);
      await watch[Symbol.asyncDispose]();
    },
  },
  {
    name: "a watch that was disposed of receives no changes",
    async run({ store }) {
      let calls = 0;
      const watch = await store.watch(() => {
        calls++;
      });
      await watch[Symbol.asyncDispose]();
      const { id } = await store.create(newTask());
      record(await store.update(id, {}, { version: 1 }));
      equal(calls, 0);
    },
  },
];
