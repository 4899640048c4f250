import type { EventStore } from "../../event/contract.ts";
import { equal, eventually, interrupted, rejects, skewed, skewMs, times, type Check } from "../check.ts";
import { dataAfter, eventsAfter } from "./read.ts";

const key = { sessionId: "session", streamId: "stream" };

/** Restarts and failures. */
export const eventTrouble: readonly Check<EventStore>[] = [
  {
    name: "events survive the process, and the next process appends to the same stream",
    only: "durable",
    async run({ store, reopen }) {
      const first = await store.append({ ...key, fence: 4 }, "");
      await store.append({ ...key, fence: 4 }, "é");
      const next = await reopen();
      const last = await next.append({ ...key, fence: 5 }, "after");
      equal(await dataAfter(next, key, first), ["é", "after"]);
      equal(await next.streamOf("session", last), "stream");
      await rejects(() => next.append({ ...key, fence: 4 }, "late"), "FENCED");
    },
  },
  {
    name: "a process whose date is wrong by five minutes neither purges events nor writes out of order",
    only: "shared",
    async run({ store, other }) {
      const first = await store.append(key, "");
      for (const [index, wrong] of [skewMs, -skewMs].entries()) {
        await skewed(wrong, async () => other.append(key, `wrong ${index}`));
        await store.append(key, `right ${index}`);
        const expected = ["wrong 0", "right 0", "wrong 1", "right 1"].slice(0, 2 * index + 2);
        equal(await skewed(wrong, () => dataAfter(other, key, first)), expected);
        equal(await dataAfter(store, key, first), expected);
      }
    },
  },
  {
    name: "appends while their session is deleted fail or succeed, and the session can be written again",
    async run({ store, other }) {
      await store.append(key, "");
      await times(32, async (index) =>
        index === 16 ? other.deleteSession("session") : store.append(key, String(index)),
      );
      await other.deleteSession("session");
      const first = await store.append(key, "");
      await other.append(key, "after");
      equal(await dataAfter(store, key, first), ["after"]);
    },
  },
  {
    name: "events whose append succeeded just before the store was unreachable are kept, once and in order",
    only: "stops",
    async run({ store, stop, restore }) {
      const first = await store.append(key, "");
      const ids = await interrupted(50, async (index) => store.append(key, String(index)), stop);
      await restore();
      const read = await eventually(() => eventsAfter(store, key, first));
      const kept = read.map(({ eventId }) => eventId);
      equal(new Set(kept).size, kept.length);
      for (const [index, id] of ids.entries()) {
        equal(id === undefined || read[kept.indexOf(id)]?.data === String(index), true);
      }
      const last = await store.append(key, "last");
      equal((await eventsAfter(store, key, first)).at(-1)?.eventId, last);
    },
  },
  {
    name: "a writer that was fenced off while it could not reach the store writes nothing afterwards",
    only: "stops",
    async run({ store, other, stop, restore, advance }) {
      const first = await store.append({ ...key, fence: 1 }, "");
      await stop();
      await rejects(() => store.append({ ...key, fence: 1 }, "lost"), "STORE_FAILED");
      await advance(10_000);
      await restore();
      await eventually(async () => other.append({ ...key, fence: 2 }, "new"));
      await rejects(() => settled(async () => store.append({ ...key, fence: 1 }, "late")), "FENCED");
      equal((await dataAfter(other, key, first)).includes("late"), false);
    },
  },
  {
    name: "while the store is unreachable every call fails, and afterwards nothing is lost",
    only: "stops",
    async run({ store, stop, restore }) {
      const first = await store.append(key, "");
      await store.append(key, "1");
      await stop();
      await rejects(() => store.append(key, "2"), "STORE_FAILED");
      await rejects(() => store.streamOf("session", first), "STORE_FAILED");
      await rejects(() => dataAfter(store, key, first), "STORE_FAILED");
      await restore();
      const after = await eventually(() => dataAfter(store, key, first));
      equal(after.slice(0, 1), ["1"]);
      await store.append(key, "3");
      equal((await dataAfter(store, key, first)).at(-1), "3");
    },
  },
];

/** Repeats a call until the store can be reached, and returns its result or throws its error. */
async function settled<T>(call: () => Promise<T>): Promise<T> {
  await eventually(async () => {
    await call().catch((error: unknown) => {
      if ((error as { code?: unknown }).code === "STORE_FAILED") {
        throw error;
      }
    });
  });
  return call();
}
