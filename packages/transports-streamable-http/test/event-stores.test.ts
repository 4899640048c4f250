import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { afterEach, expect, test, vi } from "vitest";

import { EventLog } from "../src/server/event-log.ts";

afterEach(() => {
  vi.useRealTimers();
});

const first = { sessionId: "a", streamId: "1" };
const second = { sessionId: "b", streamId: "1" };

/** What a store still has of a stream, from an event on that it has. */
const after = (store: ReturnType<typeof createMemoryEventStore>, key: typeof first, id: string): unknown[] =>
  [...(store.readAfter(key, id) as Iterable<{ data: string }>)].map(({ data }) => data);

test("ttlMs: an event that is too old cannot be resumed from, though nothing was stored since", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const store = createMemoryEventStore({ limits: { ttlMs: 1000 } });
  const old = await store.append(first, "old");
  vi.advanceTimersByTime(600);
  const newer = await store.append(first, "newer");
  vi.advanceTimersByTime(400);
  expect(await store.streamOf("a", old)).toBe("1");
  vi.advanceTimersByTime(1);
  expect(await store.streamOf("a", old)).toBeUndefined();
  expect(await store.streamOf("a", newer)).toBe("1");
  vi.advanceTimersByTime(600);
  expect(await store.streamOf("a", newer)).toBeUndefined();
});

test("T-085: the ids of a session's events do not say how much others are sent", async () => {
  const store = createMemoryEventStore();
  expect(await store.append(first, "x")).toBe("1-1");
  for (let count = 0; count < 10; count++) {
    await store.append(second, "x");
  }
  expect(await store.append(first, "x")).toBe("1-2");
});

test("an id is not given again, though the store has forgotten all events of the session", async () => {
  const store = createMemoryEventStore({ limits: { maxEvents: 1 } });
  const old = await store.append(first, "old");
  await store.append(second, "x");
  expect(await store.append(first, "new")).not.toBe(old);
  expect(await store.streamOf("a", old)).toBeUndefined();
});

test("the limits hold for all sessions together, those that were deleted included", async () => {
  const store = createMemoryEventStore({ limits: { maxLength: 1000, maxEvents: 1000 } });
  for (let count = 0; count < 200; count++) {
    const key = { sessionId: `deleted ${count}`, streamId: "1" };
    await store.append(key, "x".repeat(900));
    await store.deleteSession(key.sessionId);
  }
  // Nothing of the deleted ones takes the place of others.
  const ids = [await store.append(first, "x".repeat(500)), await store.append(first, "x".repeat(500))];
  const streams = async (): Promise<unknown[]> => [
    await store.streamOf("a", ids[0] ?? ""),
    await store.streamOf("a", ids[1] ?? ""),
  ];
  expect(await streams()).toEqual(["1", "1"]);
  await store.append(first, "x");
  expect(await streams()).toEqual([undefined, "1"]);
});

/** Stores events of 20 sessions and deletes the sessions. */
async function storeAndDelete(store: ReturnType<typeof createMemoryEventStore>): Promise<WeakRef<object>[]> {
  const events: WeakRef<object>[] = [];
  for (let count = 0; count < 20; count++) {
    const key = { sessionId: `deleted ${count}`, streamId: "1" };
    const id = await store.append(key, "");
    await store.append(key, "x");
    const [event] = store.readAfter(key, id) as readonly object[];
    events.push(new WeakRef(event ?? {}));
    await store.deleteSession(key.sessionId);
  }
  return events;
}

test("the events of a deleted session are free at once, though nothing is stored afterwards", async () => {
  const store = createMemoryEventStore();
  const events = await storeAndDelete(store);
  setFlagsFromString("--expose-gc");
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  (runInNewContext("gc") as () => void)();
  // The last one may still be in a register.
  expect(events.filter((event) => event.deref() !== undefined).length).toBeLessThanOrEqual(1);
  expect(await store.streamOf("deleted 0", "1-1")).toBeUndefined();
});

test("a session that stores much displaces its own events, not those of others", async () => {
  const store = createMemoryEventStore({ limits: { maxEvents: 100 } });
  const quiet = await store.append(second, "first");
  await store.append(second, "second");
  for (let count = 0; count < 1000; count++) {
    await store.append(first, String(count));
  }
  expect(after(store, second, quiet)).toEqual(["second"]);
  expect(after(store, first, "1-903")).toHaveLength(97);
});

/** An event log over a store whose `append` does what the test says. */
function logOver(append: (data: string) => string | Promise<string>): {
  readonly log: EventLog;
  readonly errors: unknown[];
  readonly deleted: string[];
} {
  const errors: unknown[] = [];
  const deleted: string[] = [];
  const store = {
    ...createMemoryEventStore(),
    append: (_: unknown, data: string) => append(data),
    deleteSession: (id: string) => void deleted.push(id),
  };
  return { log: new EventLog(store, "s", (error) => errors.push(error), 5), errors, deleted };
}

test("T-043d: a message whose append never settles goes out without an id, and so do those behind it", async () => {
  const appended: string[] = [];
  let settle: (id: string) => void = () => {};
  const { log, errors, deleted } = logOver((data) => {
    appended.push(data);
    return new Promise((resolve) => {
      settle = resolve;
    });
  });
  expect(await log.append("1", "stuck")).toBeUndefined();
  expect(errors).toMatchObject([
    { code: "TIMEOUT", message: expect.stringContaining("eventStore.append") as string },
  ]);
  expect(log.append("1", "behind")).toBeUndefined();
  expect(appended).toEqual(["stuck"]);
  // Once the store is back it is used again.
  settle("1-1");
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const third = log.append("1", "third");
  settle("1-2");
  expect(await third).toBe("1-2");
  log.end();
  expect(deleted).toEqual(["s"]);
});

test("T-043d: a session is forgotten though an append has not settled, and once more when it has", async () => {
  let settle: (id: string) => void = () => {};
  const { log, deleted } = logOver(
    () =>
      new Promise((resolve) => {
        settle = resolve;
      }),
  );
  const sent = log.append("1", "stuck");
  log.end();
  expect(deleted).toEqual([]);
  await sent;
  expect(deleted).toEqual(["s"]);
  settle("1-1");
  await expect.poll(() => deleted).toEqual(["s", "s"]);
});

test.each([7, undefined, {}, "two lines\n", ""])(
  "an append that returns %j is reported, and its message goes out without an id",
  async (id) => {
    const { log, errors } = logOver(() => id as string);
    expect(log.append("1", "x")).toBeUndefined();
    const later = logOver(() => Promise.resolve(id as string));
    expect(await later.log.append("1", "x")).toBeUndefined();
    expect([...errors, ...later.errors]).toMatchObject([
      { code: "INVALID_STATE" },
      { code: "INVALID_STATE" },
    ]);
  },
);
