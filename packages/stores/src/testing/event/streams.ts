import type { EventStore } from "../../event/contract.ts";
import { equal, everyText, times, type Check } from "../check.ts";
import { dataAfter, eventsAfter, isForgotten } from "./read.ts";

const key = { sessionId: "session", streamId: "stream" };

/** Streams and their events. */
export const streams: readonly Check<EventStore>[] = [
  {
    name: "the events after an event are read in the order in which they were appended",
    async run({ store, other }) {
      const ids: string[] = [];
      for (const data of ["", "1", "2", "3"]) {
        ids.push(await store.append(key, data));
      }
      equal(await dataAfter(other, key, ids[0] ?? ""), ["1", "2", "3"]);
      equal(await eventsAfter(other, key, ids[1] ?? ""), [
        { eventId: ids[2], data: "2" },
        { eventId: ids[3], data: "3" },
      ]);
      equal(await dataAfter(other, key, ids[3] ?? ""), []);
    },
  },
  {
    name: "an event can be read at once, by every process",
    async run({ store, other }) {
      const first = await store.append(key, "");
      for (let count = 1; count <= 20; count++) {
        const [one, another] = count % 2 === 0 ? [store, other] : [other, store];
        await one.append(key, String(count));
        equal((await dataAfter(another, key, first)).length, count);
      }
    },
  },
  {
    name: "an ID is visible ASCII, names its stream, and is unique in its session",
    async run({ store, other }) {
      const ids: string[] = [];
      for (let count = 0; count < 30; count++) {
        const streamId = `stream-${count % 3}`;
        const id = await store.append({ sessionId: "session", streamId }, "x");
        equal(/^[!-~]+$/.test(id), true);
        equal(await other.streamOf("session", id), streamId);
        ids.push(id);
      }
      equal(new Set(ids).size, 30);
    },
  },
  {
    name: "an ID that was never given is unknown",
    async run({ store }) {
      const id = await store.append(key, "x");
      for (const asked of ["", "x", `${id}0`, id.slice(0, -1), "stream-999999", "stream-", "-1", "é\u0000"]) {
        equal(await store.streamOf("session", asked), undefined);
      }
      equal(await isForgotten(store, key, `${id}0`), true);
    },
  },
  {
    name: "an event of another session is unknown",
    async run({ store, other }) {
      const own = await store.append(key, "own");
      const foreign = { sessionId: "other session", streamId: "elsewhere" };
      await store.append(foreign, "a");
      equal(await other.streamOf("other session", own), undefined);
      equal(await isForgotten(other, { ...foreign, streamId: "stream" }, own), true);
    },
  },
  {
    name: "streams of one session are kept apart",
    async run({ store, other }) {
      const [a, b] = [
        { sessionId: "s", streamId: "a" },
        { sessionId: "s", streamId: "a-b" },
      ];
      const firstA = await store.append(a, "");
      const firstB = await store.append(b, "");
      await store.append(a, "a1");
      await store.append(b, "b1");
      await store.append(a, "a2");
      equal(await dataAfter(other, a, firstA), ["a1", "a2"]);
      equal(await dataAfter(other, b, firstB), ["b1"]);
    },
  },
  {
    name: "the IDs of a session do not tell how much others are sent",
    async run({ store }) {
      const quiet = await store.append({ sessionId: "quiet", streamId: "1" }, "x");
      for (let count = 0; count < 10; count++) {
        await store.append({ sessionId: "loud", streamId: "1" }, "x");
      }
      const twin = await store.append({ sessionId: "twin", streamId: "1" }, "x");
      const next = await store.append({ sessionId: "quiet", streamId: "1" }, "x");
      const twinNext = await store.append({ sessionId: "twin", streamId: "1" }, "x");
      equal([twin, twinNext], [quiet, next]);
    },
  },
  {
    name: "events that several writers append at the same time are all kept, once",
    async run({ store, other }) {
      const first = await store.append(key, "");
      const ids = await times(64, async (index) =>
        (index % 2 === 0 ? store : other).append(key, String(index)),
      );
      equal(new Set(ids).size, 64);
      const read = await eventsAfter(other, key, first);
      equal(
        read.map(({ data }) => Number(data)).toSorted((a, b) => a - b),
        Array.from(ids.keys()),
      );
      equal(read.map(({ eventId }) => eventId).toSorted(), ids.toSorted());
    },
  },
  {
    name: "events of many sessions that are appended at the same time are kept in the session of each",
    async run({ store, other }) {
      const sessions = Array.from({ length: 30 }, (_, index) => ({ ...key, sessionId: `s${index}` }));
      const firsts = await Promise.all(sessions.map(async (session) => store.append(session, "")));
      const ids = await times(600, async (index) =>
        (index % 4 === 0 ? other : store).append(sessions[index % 30] ?? key, String(index)),
      );
      for (const [index, session] of sessions.entries()) {
        const read = await eventsAfter(other, session, firsts[index] ?? "");
        const numbers = Array.from({ length: 20 }, (_, round) => index + 30 * round);
        equal(
          read.map(({ data }) => Number(data)).toSorted((a, b) => a - b),
          numbers,
        );
        equal(
          read.map(({ eventId }) => eventId),
          read.map(({ data }) => ids[Number(data)]),
        );
      }
    },
  },
  {
    name: "reading during appends misses no event and repeats no event",
    async run({ store, other }) {
      let last = await store.append(key, "");
      const seen: string[] = [];
      const writing = (async () => {
        for (let count = 0; count < 200; count++) {
          await store.append(key, String(count));
        }
      })();
      while (seen.length < 200) {
        for (const { eventId, data } of await eventsAfter(other, key, last)) {
          seen.push(data);
          last = eventId;
        }
        await Promise.resolve();
      }
      await writing;
      equal(
        seen,
        Array.from({ length: 200 }, (_, index) => String(index)),
      );
    },
  },
  {
    name: "more events than one page are read completely",
    async run({ store, other }) {
      const first = await store.append(key, "");
      for (let count = 0; count < 1500; count++) {
        await store.append(key, String(count));
      }
      const read = await dataAfter(other, key, first);
      equal([read.length, read[0], read[1499]], [1500, "0", "1499"]);
    },
  },
  {
    name: "a message of a million characters, and of every kind, is returned unchanged",
    async run({ store, other }) {
      const first = await store.append(key, "");
      const data = everyText(1_000_000);
      await store.append(key, data);
      await store.append(key, "end");
      const [read, end] = await dataAfter(other, key, first);
      equal([read === data, end], [true, "end"]);
    },
  },
  {
    name: "names of sessions and streams are compared exactly, whatever characters they have",
    async run({ store, other }) {
      const names = ["a", "A", "a:b", "a b", "{a}", "*", "a%", "é", "e\u0301", "a-1", "1"];
      const firsts = new Map<string, string>();
      for (const sessionId of names) {
        for (const streamId of ["a", "{x}", "a-1", "1"]) {
          firsts.set(`${sessionId} ${streamId}`, await store.append({ sessionId, streamId }, ""));
          await store.append({ sessionId, streamId }, `${sessionId}/${streamId}`);
        }
      }
      for (const sessionId of names) {
        for (const streamId of ["a", "{x}", "a-1", "1"]) {
          const first = firsts.get(`${sessionId} ${streamId}`) ?? "";
          equal(await other.streamOf(sessionId, first), streamId);
          equal(await dataAfter(other, { sessionId, streamId }, first), [`${sessionId}/${streamId}`]);
        }
      }
    },
  },
  {
    name: "a session that was deleted has no events, for any process",
    async run({ store, other }) {
      const id = await store.append(key, "1");
      const kept = await store.append({ ...key, sessionId: "kept" }, "1");
      await other.deleteSession("session");
      await store.deleteSession("session");
      equal(await store.streamOf("session", id), undefined);
      equal(await isForgotten(other, key, id), true);
      equal(await store.streamOf("kept", kept), "stream");
    },
  },
  {
    name: "deleting a session that does not exist does nothing",
    async run({ store }) {
      await store.deleteSession("unknown");
    },
  },
  {
    name: "an event that is older than 20 minutes is forgotten, and reading after it fails",
    async run({ store, other, advance }) {
      const old = await store.append(key, "old");
      await advance(1_200_000);
      const fresh = await store.append(key, "fresh");
      equal(await isForgotten(other, key, old), true);
      equal(await other.streamOf("session", fresh), "stream");
    },
  },
  {
    name: "ten thousand streams are kept apart",
    async run({ store, other }) {
      const ids: string[] = [];
      for (let batch = 0; batch < 100; batch++) {
        ids.push(
          ...(await times(100, async (index) =>
            store.append({ sessionId: `s${batch}`, streamId: `t${index}` }, ""),
          )),
        );
      }
      for (const index of [0, 5678, 9999]) {
        const asked = { sessionId: `s${Math.floor(index / 100)}`, streamId: `t${index % 100}` };
        await store.append(asked, "own");
        equal(await dataAfter(other, asked, ids[index] ?? ""), ["own"]);
      }
    },
  },
];
