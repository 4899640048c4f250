import type { SessionStore } from "../../session/contract.ts";
import { equal, times, type Check } from "../check.ts";
import { newSession, recordOf } from "./new-session.ts";

/** Updates by compare-and-swap. */
export const updates: readonly Check<SessionStore>[] = [
  {
    name: "an update changes what it names and nothing else, and adds 1 to the version",
    async run({ store, other, advance }) {
      const before = await store.create(newSession(), 60_000);
      await advance(20);
      const after = recordOf(await store.update(before.id, 1, { facts: '{"a":1}' }));
      equal(after, { ...before, version: 2, facts: '{"a":1}' });
      equal(await other.get(before.id, "ada"), after);
      const moved = recordOf(await other.update(before.id, 2, { node: "n2" }));
      equal(moved, { ...after, version: 3, node: "n2" });
      equal(await store.get(before.id, "ada"), moved);
    },
  },
  {
    name: "an update for another version is a conflict and changes nothing",
    async run({ store, other }) {
      const { id } = await store.create(newSession(), 60_000);
      const second = recordOf(await store.update(id, 1, { facts: "2" }));
      equal(await other.update(id, 1, { facts: "3" }), "conflict");
      equal(await other.update(id, 3, { facts: "3" }), "conflict");
      equal(await other.update(id, 0, { node: null }), "conflict");
      equal(await store.get(id, "ada"), second);
    },
  },
  {
    name: "an update of a session that does not exist is refused",
    async run({ store }) {
      equal(await store.update("s_unknown", 1, { facts: "1" }), "gone");
    },
  },
  {
    name: "the process of a session can be removed and set again",
    async run({ store, other }) {
      const { id } = await store.create(newSession({ node: undefined }), 60_000);
      equal((await other.get(id, "ada"))?.node, undefined);
      equal(recordOf(await store.update(id, 1, { node: "n2" })).node, "n2");
      equal(recordOf(await store.update(id, 2, { facts: "1" })).node, "n2");
      equal(recordOf(await store.update(id, 3, { node: null })).node, undefined);
      equal((await other.get(id, "ada"))?.node, undefined);
    },
  },
  {
    name: "of 32 simultaneous updates for one version exactly one succeeds",
    async run({ store, other }) {
      const { id } = await store.create(newSession(), 60_000);
      const results = await times(32, (index) =>
        (index % 2 === 0 ? store : other).update(id, 1, { node: `n${index}` }),
      );
      const winners = results.flatMap((result, index) => (result === "conflict" ? [] : [`n${index}`]));
      equal(winners.length, 1);
      const after = await store.get(id, "ada");
      equal([after?.version, after?.node], [2, winners[0]]);
    },
  },
  {
    name: "32 writers that repeat after a conflict all succeed, one after the other",
    async run({ store, other }) {
      const { id } = await store.create(newSession({ facts: "[]" }), 60_000);
      await times(32, async (index) => {
        const one = index % 2 === 0 ? store : other;
        for (;;) {
          const before = await one.get(id, "ada");
          const facts = JSON.stringify([...(JSON.parse(before?.facts ?? "[]") as number[]), index]);
          if ((await one.update(id, before?.version ?? 0, { facts })) !== "conflict") {
            return;
          }
        }
      });
      const after = await store.get(id, "ada");
      equal([after?.version, (JSON.parse(after?.facts ?? "[]") as number[]).length], [33, 32]);
    },
  },
  {
    name: "an update and a deletion at the same time leave no session",
    async run({ store, other }) {
      for (let round = 0; round < 20; round++) {
        const { id } = await store.create(newSession(), 60_000);
        await Promise.all([store.update(id, 1, { facts: "1" }), other.delete(id), store.touch(id, 90_000)]);
        equal(await store.get(id, "ada"), undefined);
      }
      equal(await store.list("ada", 10), []);
    },
  },
  {
    name: "touches and updates at the same time lose neither",
    async run({ store, other }) {
      const { id, createdAt } = await store.create(newSession(), 60_000);
      await times(32, async (index) => {
        if (index % 2 === 0) {
          equal(await other.touch(id, 120_000), true);
          return;
        }
        for (;;) {
          const version = (await store.get(id, "ada"))?.version ?? 0;
          if ((await store.update(id, version, { facts: String(index) })) !== "conflict") {
            return;
          }
        }
      });
      const after = await other.get(id, "ada");
      equal([after?.version, (after?.expiresAt ?? 0) >= createdAt + 120_000], [17, true]);
    },
  },
];
