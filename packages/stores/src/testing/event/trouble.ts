import type { EventStore } from "../../event/contract.ts";
import { equal, eventually, rejects, type Check } from "../check.ts";
import { dataAfter } from "./read.ts";

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
