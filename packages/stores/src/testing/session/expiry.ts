import type { SessionStore } from "../../session/contract.ts";
import { equal, skewed, skewMs, times, type Check } from "../check.ts";
import { newSession, recordOf } from "./new-session.ts";

/** Expiry of idle sessions. */
export const expiry: readonly Check<SessionStore>[] = [
  {
    name: "a session that expired is unknown, swept or not",
    async run({ store, other, advance }) {
      const { id } = await store.create(newSession(), 60_000);
      await advance(50_000);
      equal((await other.get(id, "ada"))?.id, id);
      await advance(20_000);
      equal(await other.get(id, "ada"), undefined);
      equal(await other.update(id, 1, { facts: "1" }), "gone");
      equal(await other.touch(id, 60_000), false);
      equal(await other.delete(id), false);
      equal(await other.list("ada", 10), []);
    },
  },
  {
    name: "a session that is touched lasts longer, and its version stays",
    async run({ store, other, advance }) {
      const { id } = await store.create(newSession(), 60_000);
      await advance(50_000);
      equal(await other.touch(id, 60_000), true);
      await advance(50_000);
      const { version } = (await store.get(id, "ada")) ?? {};
      equal(version, 1);
      await advance(20_000);
      equal(await store.get(id, "ada"), undefined);
    },
  },
  {
    name: "touching never shortens a session, and an update does not extend it",
    async run({ store, other, advance }) {
      const { id, expiresAt } = await store.create(newSession(), 600_000);
      equal(await other.touch(id, 1), true);
      equal((await store.get(id, "ada"))?.expiresAt, expiresAt);
      await advance(60_000);
      equal(recordOf(await store.update(id, 1, { facts: "1" })).expiresAt, expiresAt);
    },
  },
  {
    name: "sweep returns each expired session to one caller only, at most as many as allowed",
    async run({ store, other, advance }) {
      const made = await times(20, () => store.create(newSession({ facts: '{"x":1}' }), 60_000));
      const kept = await store.create(newSession(), 600_000);
      equal(await store.sweep(100), []);
      await advance(70_000);
      const few = await store.sweep(3);
      equal(few.length, 3);
      const swept = await times(8, (index) => (index % 2 === 0 ? store : other).sweep(10));
      const ids = [...few, ...swept.flat()].map(({ id }) => id);
      equal(ids.toSorted(), made.map(({ id }) => id).toSorted());
      equal([few[0]?.principal, few[0]?.facts, few[0]?.node], ["ada", '{"x":1}', "n1"]);
      equal(await other.sweep(10), []);
      equal((await other.get(kept.id, "ada"))?.id, kept.id);
    },
  },
  {
    name: "a session that was touched in the meantime is not swept",
    async run({ store, other, advance }) {
      const { id } = await store.create(newSession(), 60_000);
      await store.touch(id, 600_000);
      await advance(70_000);
      equal(await other.sweep(10), []);
      equal((await other.get(id, "ada"))?.id, id);
    },
  },
  {
    name: "the ID of an expired session can be used again",
    async run({ store, other, advance }) {
      const session = newSession();
      await store.create(session, 60_000);
      await advance(70_000);
      const again = await other.create({ ...session, principal: "bob" }, 60_000);
      equal(again.version, 1);
      equal(await store.get(session.id, "ada"), undefined);
      equal((await store.get(session.id, "bob"))?.id, session.id);
      equal(await store.list("ada", 10), []);
      equal(await store.list("bob", 10), [session.id]);
    },
  },
  {
    name: "a process whose date is wrong by five minutes ends no session and keeps none",
    only: "shared",
    async run({ store, other, advance }) {
      for (const wrong of [skewMs, -skewMs]) {
        const { id, createdAt } = await store.create(newSession(), 60_000);
        await skewed(wrong, async () => {
          equal((await other.get(id, "ada"))?.id, id);
          equal(await other.sweep(10), []);
          equal(await other.touch(id, 120_000), true);
        });
        const touched = (await store.get(id, "ada"))?.expiresAt ?? 0;
        equal(touched >= createdAt + 60_000 && touched < createdAt + skewMs, true);
        await advance(130_000);
        await skewed(wrong, async () => {
          equal(await other.get(id, "ada"), undefined);
          equal((await other.sweep(10)).length, 1);
        });
      }
    },
  },
];
