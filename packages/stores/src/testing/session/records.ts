import type { SessionStore } from "../../session/contract.ts";
import { equal, everyText, rejects, times, type Check } from "../check.ts";
import { newSession, recordOf } from "./new-session.ts";

/** Creation, reading and deletion. */
export const records: readonly Check<SessionStore>[] = [
  {
    name: "a session that was created can be read at once, by every process",
    async run({ store, other }) {
      const session = newSession({ opening: '{"a":"é\\u0000😀"}', facts: '{"level":"debug"}' });
      const created = await store.create(session, 60_000);
      equal(created, {
        ...session,
        version: 1,
        createdAt: created.createdAt,
        expiresAt: created.createdAt + 60_000,
      });
      equal(await other.get(session.id, "ada"), created);
    },
  },
  {
    name: "an ID that does not exist is unknown",
    async run({ store }) {
      equal(await store.get("s_unknown", "ada"), undefined);
      equal(await store.get("s_unknown", undefined), undefined);
      equal(await store.get("", undefined), undefined);
      equal(await store.get("s\u0000é", undefined), undefined);
      equal(await store.delete("s_unknown"), false);
      equal(await store.touch("s_unknown", 1000), false);
    },
  },
  {
    name: "a session of another principal is unknown",
    async run({ store, other }) {
      const { id } = await store.create(newSession(), 60_000);
      equal(await other.get(id, "eve"), undefined);
      equal(await other.get(id, ""), undefined);
      equal(await other.get(id, "Ada"), undefined);
      equal(await other.get(id, undefined), undefined);
      equal((await other.get(id, "ada"))?.id, id);
    },
  },
  {
    name: "a session without a principal is unknown to every principal",
    async run({ store, other }) {
      const { id } = await store.create(newSession({ principal: undefined }), 60_000);
      equal(await other.get(id, "ada"), undefined);
      equal(await other.get(id, ""), undefined);
      equal(await other.get(id, "undefined"), undefined);
      const found = await other.get(id, undefined);
      equal([found?.id, found?.principal], [id, undefined]);
    },
  },
  {
    name: "an empty principal is one like others",
    async run({ store, other }) {
      const { id } = await store.create(newSession({ principal: "" }), 60_000);
      equal((await other.get(id, ""))?.id, id);
      equal(await other.get(id, undefined), undefined);
    },
  },
  {
    name: "principals are compared exactly, whatever characters they have",
    async run({ store, other }) {
      const principals = ["é", "e\u0301", "a\u0000b", "a", "a*", "A", "a b", "{a}", "%61", "😀"];
      for (const principal of principals) {
        const { id } = await store.create(newSession({ principal }), 60_000);
        for (const asked of principals) {
          equal((await other.get(id, asked))?.id, asked === principal ? id : undefined);
        }
        equal(await other.list(principal, 10), [id]);
      }
    },
  },
  {
    name: "an ID that is taken is refused, and the first session does not change",
    async run({ store, other }) {
      const session = newSession();
      const created = await store.create(session, 60_000);
      await rejects(
        () => other.create({ ...session, principal: "eve", facts: "1" }, 60_000),
        "SESSION_EXISTS",
      );
      equal(await other.get(session.id, "ada"), created);
      equal(await other.get(session.id, "eve"), undefined);
    },
  },
  {
    name: "of simultaneous creations with one ID exactly one succeeds",
    async run({ store, other }) {
      const session = newSession();
      const made = await times(32, (index) =>
        (index % 2 === 0 ? store : other).create({ ...session, facts: String(index) }, 60_000).then(
          () => [index],
          () => [],
        ),
      );
      equal(made.flat().length, 1);
      equal((await store.get(session.id, "ada"))?.facts, String(made.flat()[0]));
    },
  },
  {
    name: "a deleted session is unknown to every process, and is deleted once",
    async run({ store, other }) {
      const { id } = await store.create(newSession(), 60_000);
      const deleted = await times(16, (index) => (index % 2 === 0 ? store : other).delete(id));
      equal(deleted.filter(Boolean).length, 1);
      equal(await other.get(id, "ada"), undefined);
      equal(await other.list("ada", 10), []);
      equal(await other.update(id, 1, { facts: "1" }), "gone");
      equal(await store.touch(id, 60_000), false);
      equal(await store.sweep(10), []);
    },
  },
  {
    name: "a list has the sessions of one principal, oldest first, at most as many as allowed",
    async run({ store, other, advance }) {
      const made: string[] = [];
      for (let count = 0; count < 5; count++) {
        made.push((await store.create(newSession(), 60_000)).id);
        await store.create(newSession({ principal: "bob" }), 60_000);
        await store.create(newSession({ principal: undefined }), 60_000);
        await advance(5);
      }
      equal(await other.list("ada", 10), made);
      equal(await other.list("ada", 2), made.slice(0, 2));
      equal(await other.list("eve", 10), []);
    },
  },
  {
    name: "text of a million characters, and of every kind, is returned unchanged",
    async run({ store, other }) {
      const [opening, facts] = [everyText(500_000), everyText(500_000)];
      const { id } = await store.create(newSession({ opening, facts: "" }), 60_000);
      const updated = recordOf(await store.update(id, 1, { facts }));
      const read = await other.get(id, "ada");
      equal([updated.facts === facts, read?.facts === facts, read?.opening === opening], [true, true, true]);
    },
  },
  {
    name: "ten thousand sessions are kept apart",
    async run({ store, other }) {
      const made: string[] = [];
      for (let batch = 0; batch < 100; batch++) {
        const created = await times(100, (index) =>
          store.create(newSession({ principal: `p${index}`, facts: String(batch) }), 600_000),
        );
        made.push(...created.map(({ id }) => id));
      }
      for (const index of [0, 4321, 9999]) {
        const read = await other.get(made[index] ?? "", `p${index % 100}`);
        equal([read?.id, read?.facts], [made[index], String(Math.floor(index / 100))]);
      }
      equal((await other.list("p7", 1000)).length, 100);
    },
  },
];
