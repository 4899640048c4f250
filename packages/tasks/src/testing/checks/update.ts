import { completed, equal, lease, newTask, record, rejects, type TaskStoreCheck } from "../check.ts";

const failed = { state: "failed", outcome: '{"error":{"code":1,"message":"no"}}' } as const;

/** Updates by compare-and-swap. */
export const update: readonly TaskStoreCheck[] = [
  {
    name: "an update changes what it names and nothing else, and adds 1 to the version",
    async run({ store, other, advance }) {
      const before = await store.create(newTask({ statusMessage: "first", questions: {} }));
      await advance(20);
      const after = record(
        await store.update(before.id, { progress: '{"done":1}', pollIntervalMs: 50 }, { version: 1 }),
      );
      equal(after, {
        ...before,
        version: 2,
        progress: '{"done":1}',
        pollIntervalMs: 50,
        updatedAt: after.updatedAt,
      });
      equal(after.updatedAt > before.updatedAt, true);
      equal(await other.get(before.id, "ada"), after);
    },
  },
  {
    name: "an update for another version is a conflict and changes nothing",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      const second = record(await store.update(id, { statusMessage: "a" }, { version: 1 }));
      equal(await other.update(id, { statusMessage: "b" }, { version: 1 }), "conflict");
      equal(await other.update(id, { statusMessage: "b" }, { version: 3 }), "conflict");
      equal(await store.get(id, "ada"), second);
    },
  },
  {
    name: "of 32 simultaneous updates for one version exactly one succeeds",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      const results = await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          (index % 2 === 0 ? store : other).update(id, { statusMessage: String(index) }, { version: 1 }),
        ),
      );
      const winners = results.flatMap((result, index) => (result === "conflict" ? [] : [index]));
      equal(winners.length, 1);
      const after = await store.get(id, "ada");
      equal([after?.version, after?.statusMessage], [2, String(winners[0])]);
    },
  },
  {
    name: "32 writers that repeat after a conflict all succeed, one after the other",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      await Promise.all(
        Array.from({ length: 32 }, async (_, index) => {
          const one = index % 2 === 0 ? store : other;
          for (;;) {
            const version = (await one.get(id, "ada"))?.version ?? 0;
            if ((await one.update(id, { statusMessage: String(index) }, { version })) !== "conflict") {
              return;
            }
          }
        }),
      );
      equal((await store.get(id, "ada"))?.version, 33);
    },
  },
  {
    name: "a final state never changes, for no version and no fence",
    async run({ store, other }) {
      const { id } = await store.create(newTask(), lease);
      const ended = record(await store.update(id, completed, { version: 1, fence: 1 }));
      equal(await other.update(id, failed, { version: 2 }), "ended");
      equal(await other.update(id, { statusMessage: "late" }, { version: 1, fence: 1 }), "ended");
      equal(await other.update(id, { retainMs: 1 }, { version: 9 }), "ended");
      equal(await store.get(id, "ada"), ended);
    },
  },
  {
    name: "an update of a task that does not exist is refused",
    async run({ store }) {
      equal(await store.update("t_unknown", completed, { version: 1 }), "gone");
    },
  },
  {
    name: "an outcome without a final state, and a final state without an outcome, are refused",
    async run({ store }) {
      const { id } = await store.create(newTask());
      for (const patch of [{ outcome: "{}" }, { state: "completed" as const }]) {
        let isRejected = false;
        await store.update(id, patch, { version: 1 }).catch(() => {
          isRejected = true;
        });
        equal(isRejected, true);
      }
      equal((await store.get(id, "ada"))?.version, 1);
    },
  },
  {
    name: "input requests are replaced as a whole",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      const asking = { state: "input_required", questions: { a: '{"q":1}', "ä b": "2" } } as const;
      equal(record(await store.update(id, asking, { version: 1 })).questions, asking.questions);
      record(await store.update(id, { questions: { "ä b": "2" } }, { version: 2 }));
      equal((await other.get(id, "ada"))?.questions, { "ä b": "2" });
    },
  },
  {
    name: "entries are appended with the update, or not at all",
    async run({ store, other }) {
      const { id } = await store.create(newTask());
      const entry = { kind: "answer", key: "a", value: "1" } as const;
      equal(await store.update(id, {}, { version: 7, append: [entry] }), "conflict");
      equal(await other.journal(id), []);
      record(await store.update(id, {}, { version: 1, append: [entry] }));
      equal(await other.journal(id), [entry]);
    },
  },
  {
    name: "of tasks that are updated at the same time each is changed, or refused, by itself",
    async run({ store, other }) {
      const tasks = await Promise.all(Array.from({ length: 40 }, () => store.create(newTask(), lease)));
      const entry = { kind: "step", key: "a", value: "1" } as const;
      const conditions = [
        { version: 1, fence: 1, append: [entry, { ...entry, key: "b" }] },
        { version: 2, fence: 1, append: [entry] },
        { version: 1, fence: 2, append: [entry] },
        { version: 1 },
      ];
      const expected = [2, "conflict", "fenced", 2];
      const results = await Promise.all(
        tasks.map(({ id }, index) =>
          store.update(id, { statusMessage: String(index) }, conditions[index % 4] ?? { version: 1 }),
        ),
      );
      for (const [index, { id }] of tasks.entries()) {
        const result = results[index];
        equal(typeof result === "object" ? result.version : result, expected[index % 4]);
        const isChanged = typeof result === "object";
        equal((await other.get(id, "ada"))?.statusMessage, isChanged ? String(index) : undefined);
        equal(
          (await other.journal(id)).map(({ key }) => key),
          index % 4 === 0 ? ["a", "b"] : [],
        );
      }
    },
  },
  {
    name: "updatedAt never goes backwards",
    async run({ store }) {
      const { id, createdAt } = await store.create(newTask());
      let last = createdAt;
      for (let version = 1; version < 20; version++) {
        const { updatedAt } = record(await store.update(id, {}, { version }));
        equal(updatedAt >= last, true);
        last = updatedAt;
      }
    },
  },
  {
    name: "text of a million characters, and of every kind, is returned unchanged",
    async run({ store, other }) {
      const value = JSON.stringify("é\u2028\u0000\ud83d\ude00\n'\"\\".repeat(100_000).slice(0, 1_000_000));
      const { id } = await store.create(newTask({ arguments: value }));
      const outcome = `{"result":${value}}`;
      record(await store.update(id, { state: "completed", outcome }, { version: 1 }));
      const read = await other.get(id, "ada");
      equal([read?.arguments === value, read?.outcome === outcome], [true, true]);
    },
  },
  {
    name: "a closed store refuses everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(store.create(newTask()), "CLOSED");
      await rejects(store.get("t_x", "ada"), "CLOSED");
      await rejects(store.update("t_x", {}, { version: 1 }), "CLOSED");
      await rejects(store.list("ada", undefined, 1), "CLOSED");
    },
  },
];
