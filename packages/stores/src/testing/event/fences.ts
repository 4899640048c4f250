import type { EventStore } from "../../event/contract.ts";
import { equal, rejects, times, type Check } from "../check.ts";
import { dataAfter } from "./read.ts";

const key = { sessionId: "session", streamId: "stream" };

/** One writer at a time. */
export const fences: readonly Check<EventStore>[] = [
  {
    name: "a writer with an older fence is refused, and writes nothing",
    only: "shared",
    async run({ store, other }) {
      const first = await store.append({ ...key, fence: 5 }, "");
      await other.append({ ...key, fence: 6 }, "new");
      await rejects(() => store.append({ ...key, fence: 5 }, "late"), "FENCED");
      equal(await dataAfter(store, key, first), ["new"]);
    },
  },
  {
    name: "a fence holds for all streams of its session, and for no other session",
    only: "shared",
    async run({ store, other }) {
      await store.append({ ...key, fence: 7 }, "");
      await rejects(() => other.append({ ...key, streamId: "second", fence: 6 }, "late"), "FENCED");
      equal(
        typeof (await other.append({ sessionId: "another", streamId: "stream", fence: 1 }, "")),
        "string",
      );
    },
  },
  {
    name: "the same fence can write again, and a newer fence too",
    only: "shared",
    async run({ store, other }) {
      const first = await store.append({ ...key, fence: 1_790_000_000_000 }, "");
      await store.append({ ...key, fence: 1_790_000_000_000 }, "same");
      await other.append({ ...key, fence: 1_790_000_000_001 }, "newer");
      equal(await dataAfter(store, key, first), ["same", "newer"]);
    },
  },
  {
    name: "of simultaneous writers no writer writes after one with a newer fence",
    only: "shared",
    async run({ store, other }) {
      const first = await store.append({ ...key, fence: 1 }, "");
      await times(32, (index) =>
        Promise.resolve(
          (index % 2 === 0 ? store : other).append({ ...key, fence: index + 1 }, String(index + 1)),
        ).catch(() => undefined),
      );
      const written = (await dataAfter(other, key, first)).map(Number);
      equal(
        written,
        written.toSorted((a, b) => a - b),
      );
      equal(written.at(-1), 32);
    },
  },
  {
    name: "appends that are refused disturb no others that are made at the same time",
    only: "shared",
    async run({ store, other }) {
      const [free, fenced] = [
        { sessionId: "free", streamId: "stream" },
        { ...key, fence: 2 },
      ];
      const firsts = [await store.append(free, ""), await other.append(fenced, "")] as const;
      const results = await times(90, async (index): Promise<string> => {
        const stream = [free, fenced, { ...key, fence: 1 }][index % 3] ?? free;
        try {
          await store.append(stream, String(index));
          return "kept";
        } catch (error) {
          return String((error as { code?: unknown }).code);
        }
      });
      equal(
        results,
        results.map((_, index) => (index % 3 === 2 ? "FENCED" : "kept")),
      );
      for (const [place, first] of firsts.entries()) {
        const read = await dataAfter(other, place === 0 ? free : fenced, first);
        equal(
          read.map(Number).toSorted((a, b) => a - b),
          Array.from({ length: 30 }, (_, round) => place + 3 * round),
        );
      }
    },
  },
  {
    name: "a fence is kept when the events of the session are no longer",
    only: "shared",
    async run({ store, other, advance }) {
      await store.append({ ...key, fence: 9 }, "");
      await advance(1_200_000);
      await store.append({ ...key, fence: 9 }, "");
      await rejects(() => other.append({ ...key, fence: 8 }, "late"), "FENCED");
    },
  },
];
