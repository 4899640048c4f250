import { completed, equal, lease, newTask, record, type TaskStoreCheck } from "../check.ts";

/** The journal of a task. */
export const journal: readonly TaskStoreCheck[] = [
  {
    name: "the journal has its entries in the order in which they were appended",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      const entries = Array.from({ length: 50 }, (_, index) => ({
        kind: index % 2 === 0 ? ("step" as const) : ("answer" as const),
        key: `k${index}`,
        value: JSON.stringify({ index }),
      }));
      equal(await store.append(id, 1, entries.slice(0, 1)), true);
      equal(await store.append(id, 1, entries.slice(1)), true);
      equal(await other.journal(id), entries);
      equal((await other.get(id, "ada"))?.version, 1);
    },
  },
  {
    name: "the first entry of a kind and key wins, in one call and in several",
    async run({ store }) {
      const { id } = await store.create(newTask(), lease);
      const entry = { kind: "step", key: "a", value: "1" } as const;
      equal(await store.append(id, 1, [entry, { ...entry, value: "2" }]), true);
      equal(await store.append(id, 1, [{ ...entry, value: "3" }]), true);
      record(await store.update(id, {}, { version: 1, append: [{ ...entry, value: "4" }] }));
      const answer = { ...entry, kind: "answer" } as const;
      equal(await store.append(id, 1, [answer]), true);
      equal(await store.journal(id), [entry, answer]);
    },
  },
  {
    name: "a task without a lease, or that does not exist, gets no entries",
    async run({ store }) {
      const { id } = await store.create(newTask());
      const entry = { kind: "step", key: "a", value: "1" } as const;
      equal(await store.append(id, 0, [entry]), false);
      equal(await store.append("t_unknown", 0, [entry]), false);
      equal(await store.journal(id), []);
      equal(await store.journal("t_unknown"), []);
    },
  },
  {
    name: "a task that ended gets no entries",
    async run({ store }) {
      const { id } = await store.create(newTask(), lease);
      record(await store.update(id, completed, { version: 1 }));
      equal(await store.append(id, 1, [{ kind: "step", key: "a", value: "1" }]), false);
    },
  },
  {
    name: "simultaneous appends are all in the journal",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          (index % 2 === 0 ? store : other).append(id, 1, [
            { kind: "step", key: `s${String(index).padStart(2, "0")}`, value: "1" },
          ]),
        ),
      );
      const keys = (await store.journal(id)).map(({ key }) => key);
      equal(
        keys.toSorted(),
        Array.from({ length: 32 }, (_, index) => `s${String(index).padStart(2, "0")}`),
      );
    },
  },
];
