import { completed, equal, ids, lease, newTask, record, type TaskStoreCheck } from "../check.ts";

const any = { ...lease, limit: 10 } as const;

/** Claims, leases and fences. */
export const leases: readonly TaskStoreCheck[] = [
  {
    name: "a working task without a lease can be claimed once",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      const [claimed] = await store.claim(any);
      equal([claimed?.id, claimed?.fence, claimed?.attempt, claimed?.worker], [id, 1, 1, "w1"]);
      equal(claimed?.version, 1);
      equal(await other.get(id, "ada"), claimed);
      equal(await other.claim(any), []);
    },
  },
  {
    name: "of simultaneous claims exactly one gets a task",
    async run({ store, other }) {
      const made = await Promise.all(Array.from({ length: 20 }, () => store.create(newTask())));
      const claims = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          (index % 2 === 0 ? store : other).claim({ worker: `w${index}`, leaseMs: 60_000, limit: 1 }),
        ),
      );
      equal(claims.flatMap(ids).sort(), ids(made).toSorted());
    },
  },
  {
    name: "the tasks of a principal are claimed in the order in which they could be",
    async run({ store, advance }) {
      const made: string[] = [];
      for (let count = 0; count < 5; count++) {
        made.push((await store.create(newTask())).id);
        await advance(5);
      }
      const claimed = [...(await store.claim({ ...lease, limit: 2 })), ...(await store.claim(any))];
      equal(ids(claimed), made);
    },
  },
  {
    name: "external, ended and waiting tasks are not claimed",
    async run({ store }) {
      await store.create(newTask({ external: true }));
      await store.create(newTask({ state: "input_required", questions: { a: "1" } }));
      const { id } = await store.create(newTask());
      record(await store.update(id, completed, { version: 1 }));
      equal(await store.claim(any), []);
    },
  },
  {
    name: "tasks that have not ended are counted, if the store counts",
    async run({ store, other, advance }) {
      if (store.count === undefined || other.count === undefined) {
        return;
      }
      equal(await store.count(), { queued: 0, running: 0, waiting: 0 });
      await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      await store.create(newTask(), { worker: "w1", leaseMs: 100_000 });
      await store.create(newTask({ principal: "bob" }));
      await store.create(newTask({ external: true }));
      const { id } = await store.create(newTask({ state: "input_required", questions: { a: "1" } }));
      equal(await other.count(), { queued: 1, running: 2, waiting: 2 });
      record(await store.update(id, completed, { version: 1 }));
      await advance(25_000);
      equal(await other.count(), { queued: 2, running: 1, waiting: 1 });
    },
  },
  {
    name: "a claim can be restricted to names, and can leave out principals",
    async run({ store }) {
      const a = await store.create(newTask({ name: "a", principal: "ada" }));
      const b = await store.create(newTask({ name: "b", principal: "ada" }));
      const c = await store.create(newTask({ name: "a", principal: "bob" }));
      equal(await store.claim({ ...any, names: ["c"] }), []);
      equal(await store.claim({ ...any, names: [] }), []);
      equal(ids(await store.claim({ ...any, names: ["a"], except: ["bob"] })), [a.id]);
      equal(ids(await store.claim({ ...any, except: ["ada"] })), [c.id]);
      equal(ids(await store.claim({ ...any, except: [] })), [b.id]);
    },
  },
  {
    name: "a lease that ended can be claimed by another worker, with the next fence and attempt",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      equal(await other.claim(any), []);
      await advance(25_000);
      const [claimed] = await other.claim({ ...any, worker: "w2" });
      equal([claimed?.id, claimed?.fence, claimed?.attempt, claimed?.worker], [id, 2, 2, "w2"]);
    },
  },
  {
    name: "a renewed lease lasts longer and does not change the version",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      equal(await store.renew(id, 1, 60_000), true);
      await advance(25_000);
      equal(await other.claim(any), []);
      equal((await store.get(id, "ada"))?.version, 1);
    },
  },
  {
    name: "a lease can be renewed for its newest fence only",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      await advance(25_000);
      await other.claim({ ...any, worker: "w2" });
      equal(await store.renew(id, 1, 60_000), false);
      equal(await store.renew(id, 3, 60_000), false);
      equal(await other.renew(id, 2, 60_000), true);
      equal(await store.renew("t_unknown", 1, 60_000), false);
    },
  },
  {
    name: "an old fence writes nothing: no update, no entry",
    async run({ store, other, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      await advance(25_000);
      await other.claim({ ...any, worker: "w2" });
      const before = await other.get(id, "ada");
      equal(await store.update(id, completed, { version: 1, fence: 1 }), "fenced");
      equal(await store.append(id, 1, [{ kind: "step", key: "a", value: "1" }]), false);
      equal(await other.get(id, "ada"), before);
      equal(await other.journal(id), []);
      record(await other.update(id, completed, { version: 1, fence: 2 }));
    },
  },
  {
    name: "a lease that ended still allows its holder to write until it is claimed",
    async run({ store, advance }) {
      const { id } = await store.create(newTask(), { worker: "w1", leaseMs: 20_000 });
      await advance(25_000);
      equal(await store.append(id, 1, [{ kind: "step", key: "a", value: "1" }]), true);
      record(await store.update(id, completed, { version: 1, fence: 1 }));
    },
  },
  {
    name: "a released task can be claimed at once, and its former holder is fenced off",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      const released = record(
        await store.update(id, { release: true, attempt: 0 }, { version: 1, fence: 1 }),
      );
      equal([released.worker, released.leaseUntil, released.fence], [undefined, 0, 1]);
      equal(await store.update(id, {}, { version: 2, fence: 1 }), "fenced");
      const [claimed] = await other.claim(any);
      equal([claimed?.fence, claimed?.attempt], [2, 1]);
    },
  },
  {
    name: "a task that waits for input has no lease, and can be claimed when it works again",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      const asking = { state: "input_required", questions: { a: "1" }, attempt: 0 } as const;
      const parked = record(await store.update(id, asking, { version: 1, fence: 1 }));
      equal([parked.worker, parked.leaseUntil], [undefined, 0]);
      equal(await other.claim(any), []);
      record(await other.update(id, { state: "working", questions: {} }, { version: 2 }));
      const [claimed] = await store.claim(any);
      equal([claimed?.id, claimed?.fence, claimed?.attempt], [id, 2, 1]);
    },
  },
  {
    name: "an update without a fence does not end a lease",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      record(await other.update(id, { cancelRequested: true }, { version: 1 }));
      equal(await other.claim(any), []);
      record(await store.update(id, completed, { version: 2, fence: 1 }));
    },
  },
  {
    name: "a task that ended has no lease",
    async run({ store }) {
      const { id } = await store.create(newTask(), lease);
      const ended = record(await store.update(id, completed, { version: 1 }));
      equal(ended.worker, undefined);
      equal(await store.renew(id, 1, 1000), false);
    },
  },
];
