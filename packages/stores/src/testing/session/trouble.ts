import type { SessionStore } from "../../session/contract.ts";
import { equal, eventually, interrupted, rejects, times, type Check } from "../check.ts";
import { newSession, recordOf } from "./new-session.ts";

/** Restarts, failures and the end of a store. */
export const trouble: readonly Check<SessionStore>[] = [
  {
    name: "sessions survive the process",
    only: "durable",
    async run({ store, reopen }) {
      const { id } = await store.create(newSession({ opening: '{"é":1}' }), 600_000);
      const updated = recordOf(await store.update(id, 1, { facts: '{"a":1}' }));
      const next = await reopen();
      equal(await next.get(id, "ada"), updated);
      equal(await next.get(id, undefined), undefined);
      equal(recordOf(await next.update(id, 2, { node: "n2" })).version, 3);
    },
  },
  {
    name: "sessions expire while no process runs",
    only: "durable",
    async run({ store, reopen, advance }) {
      const { id } = await store.create(newSession(), 60_000);
      const next = await reopen();
      await advance(70_000);
      equal(await next.get(id, "ada"), undefined);
      equal(
        (await next.sweep(10)).map((swept) => swept.id),
        [id],
      );
    },
  },
  {
    name: "while the store is unreachable every call fails, and afterwards nothing is lost",
    only: "stops",
    async run({ store, stop, restore }) {
      const created = await store.create(newSession(), 600_000);
      await stop();
      await rejects(() => store.get(created.id, "ada"), "STORE_FAILED");
      await rejects(() => store.create(newSession(), 60_000), "STORE_FAILED");
      await rejects(() => store.update(created.id, 1, { facts: "1" }), "STORE_FAILED");
      await restore();
      const after = await eventually(() => store.get(created.id, "ada"));
      equal([after?.id, after?.opening], [created.id, created.opening]);
    },
  },
  {
    name: "updates that succeeded just before the store was unreachable are kept, each with its version",
    only: "stops",
    async run({ store, stop, restore }) {
      const sessions = await times(20, () => store.create(newSession(), 600_000));
      const updated = await interrupted(
        20,
        (index) => store.update(sessions[index]?.id ?? "", 1, { facts: String(index) }),
        stop,
      );
      await restore();
      await eventually(() => store.list("ada", 1));
      for (const [index, { id }] of sessions.entries()) {
        const record = await store.get(id, "ada");
        const isKept = record?.version === 2 && record.facts === String(index);
        equal(updated[index] === undefined ? isKept || record?.version === 1 : isKept, true);
      }
    },
  },
  {
    name: "a session lasts through 10 seconds without the store, unless it expires in that time",
    only: "stops",
    async run({ store, other, stop, restore, advance }) {
      const lasting = await store.create(newSession(), 60_000);
      const ending = await store.create(newSession(), 5000);
      await stop();
      await advance(10_000);
      await restore();
      equal((await eventually(() => other.get(lasting.id, "ada")))?.id, lasting.id);
      equal(await eventually(() => store.get(ending.id, "ada")), undefined);
      equal(
        (await store.sweep(10)).map(({ id }) => id),
        [ending.id],
      );
    },
  },
  {
    name: "a closed store refuses everything",
    async run({ store }) {
      await store.close();
      await store.close();
      await rejects(() => store.create(newSession(), 60_000), "CLOSED");
      await rejects(() => store.get("s", "ada"), "CLOSED");
      await rejects(() => store.update("s", 1, {}), "CLOSED");
      await rejects(() => store.touch("s", 1), "CLOSED");
      await rejects(() => store.delete("s"), "CLOSED");
      await rejects(() => store.list("ada", 1), "CLOSED");
      await rejects(() => store.sweep(1), "CLOSED");
    },
  },
];
