import { completed, equal, lease, newTask, record, rejects, type TaskStoreCheck } from "../check.ts";

/** Creation, and who can read a task. */
export const create: readonly TaskStoreCheck[] = [
  {
    name: "a task that was created can be read at once, by every process",
    async run({ store, other }) {
      const task = newTask({
        arguments: '{"text":"é\\u0000😀","list":[1]}',
        data: '{"a":1}',
        statusMessage: "soon",
      });
      const created = await store.create(task);
      equal(await other.get(task.id, "ada"), created);
      for (const [name, value] of Object.entries(task)) {
        equal(created[name as keyof typeof task], value);
      }
    },
  },
  {
    name: "a new record has version 1, one time for all its dates, and the end of its lifetime",
    async run({ store }) {
      const created = await store.create(newTask({ ttlMs: 5000 }));
      equal(created.version, 1);
      equal(created.updatedAt, created.createdAt);
      equal(created.expiresAt, created.createdAt + 5000);
      equal([created.attempt, created.fence, created.worker, created.leaseUntil], [0, 0, undefined, 0]);
      equal([created.cancelRequested, created.progress, created.outcome], [false, undefined, undefined]);
    },
  },
  {
    name: "a lifetime of null never ends",
    async run({ store, advance }) {
      const { id, expiresAt } = await store.create(newTask({ ttlMs: null }));
      equal(expiresAt, null);
      record(await store.update(id, completed, { version: 1 }));
      await advance(100);
      equal((await store.get(id, "ada"))?.state, "completed");
    },
  },
  {
    name: "a task can be created with a lease, which is its first attempt",
    async run({ store, other }) {
      const created = await store.create(newTask(), lease);
      equal([created.attempt, created.fence, created.worker], [1, 1, "w1"]);
      equal(created.leaseUntil, created.createdAt + lease.leaseMs);
      equal(await other.claim({ ...lease, limit: 10 }), []);
    },
  },
  {
    name: "an ID that is taken is refused, and the first task does not change",
    async run({ store, other }) {
      const task = newTask();
      const created = await store.create(task);
      await rejects(other.create({ ...task, principal: "eve", arguments: "{}" }), "TASK_EXISTS");
      equal(await other.get(task.id, "ada"), created);
    },
  },
  {
    name: "of simultaneous creations with one ID exactly one succeeds",
    async run({ store, other }) {
      const task = newTask();
      const attempts = Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? store : other).create(task).then(
          () => 1,
          () => 0,
        ),
      );
      equal(
        (await Promise.all<number>(attempts)).reduce((sum, one) => sum + one, 0),
        1,
      );
    },
  },
  {
    name: "of tasks that are created at the same time each is created, or refused, by itself",
    async run({ store, other }) {
      const tasks = Array.from({ length: 60 }, (_, index) => newTask({ principal: `p${index % 7}` }));
      const again = tasks.filter((_, index) => index % 3 === 0);
      const results = await Promise.all(
        [...tasks, ...again].map((task) =>
          store.create({ ...task }).then(
            ({ id }) => id,
            (error: { readonly code?: unknown }) => error.code,
          ),
        ),
      );
      equal(results.filter((result) => result === "TASK_EXISTS").length, again.length);
      for (const { id, principal } of tasks) {
        equal(results.filter((result) => result === id).length, 1);
        equal((await other.get(id, principal))?.version, 1);
      }
    },
  },
  {
    name: "an ID that does not exist is unknown",
    async run({ store }) {
      equal(await store.get("t_unknown", "ada"), undefined);
      equal(await store.get("t_unknown", undefined), undefined);
      equal(await store.get("", ""), undefined);
    },
  },
  {
    name: "a task of another principal is unknown, and the engine itself reads all",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      equal(await other.get(id, "eve"), undefined);
      equal(await other.get(id, ""), undefined);
      equal((await other.get(id, undefined))?.id, id);
    },
  },
  {
    name: "the principal without a name is one like others",
    async run({ store, other }) {
      const { id } = await store.create(newTask({ principal: "" }));
      equal((await other.get(id, ""))?.id, id);
      equal(await other.get(id, "ada"), undefined);
    },
  },
  {
    name: "a task can be created in its final state",
    async run({ store, other }) {
      const { id } = await store.create(newTask({ ...completed }));
      equal((await other.get(id, "ada"))?.outcome, completed.outcome);
      equal(await store.claim({ ...lease, limit: 10 }), []);
    },
  },
];
