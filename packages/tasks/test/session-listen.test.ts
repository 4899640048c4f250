import { RpcError } from "@tenon/jsonrpc2";
import type { StartedTask } from "@tenon/tasks/client";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { textOf } from "./pair.ts";
import { followed, inMemory, overHttp, type Followed, type Link } from "./support/followed.ts";

// How a client learns the states of the tasks that it follows. Its clock is virtual, and the server
// suggests 30 s between two polls: what arrives before the clock advances, arrives without a poll.

const links: readonly (readonly [name: string, link: Link])[] = [
  ["in memory", inMemory],
  ["over HTTP", overHttp],
];
const count = 50;

interface Calls {
  /** The texts of the results. */
  readonly texts: Promise<readonly string[]>;
  /** Resolves when each call is a task. */
  readonly started: Promise<unknown>;
}

function callGated({ session }: Followed, number: number): Calls {
  const started: Promise<void>[] = [];
  const results = Array.from({ length: number }, () => {
    const { promise, resolve } = deferred();
    started.push(promise);
    return session.callTool({ name: "gated" }, { onTask: () => resolve() });
  });
  return { texts: Promise.all(results).then((all) => all.map(textOf)), started: Promise.all(started) };
}

/** Calls the tool, and waits until the server has acknowledged the first listen. */
async function heard(client: Followed, number = count): Promise<Calls> {
  const calls = callGated(client, number);
  await calls.started;
  // Until then, calls that start are collected.
  client.clock.advance(199);
  await client.session.listTools();
  expect(client.listens()).toEqual([]);
  client.clock.advance(1);
  // Tasks are read when the server begins to send their states.
  await expect.poll(() => client.sent("tasks/get").length).toBe(number);
  return calls;
}

const done = (number: number): readonly string[] => Array.from({ length: number }, () => "done");

/**
 * Advances the clock of the client until a promise settles. Each step waits for the server, so that
 * no request times out only because the machine is slow.
 */
async function withTime<T>({ clock, session }: Followed, promise: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = promise.finally(() => {
    state.isOver = true;
  });
  over.catch(() => undefined);
  while (!state.isOver) {
    clock.advance(1000);
    await session.ping();
  }
  return over;
}

test.each(links)(
  `${count} calls that became tasks share one listen, and get their results from it (R-705, %s)`,
  async (_, link) => {
    const client = await followed(modernRevision, link);
    const calls = await heard(client);
    client.open();
    expect(await calls.texts).toEqual(done(count));
    expect(client.listens()).toHaveLength(1);
    expect(new Set(client.listens()[0]).size).toBe(count);
    expect(client.sent("tasks/get")).toHaveLength(count);
    expect(client.errors).toEqual([]);
    expect(client.clock.timers).toBe(0);
  },
);

test("the listen ends with the last task that is followed", async () => {
  const client = await followed(modernRevision, inMemory);
  const { sent } = client;
  const calls = await heard(client, 2);
  expect(sent("notifications/cancelled")).toEqual([]);
  client.open();
  await calls.texts;
  const [listen] = sent("subscriptions/listen");
  expect(sent("notifications/cancelled")).toMatchObject([{ params: { requestId: listen?.id } }]);
});

test("later tasks are collected for one further listen, which begins before the other ends", async () => {
  const client = await followed(modernRevision, inMemory);
  const calls = await heard(client, 3);
  const more = callGated(client, 4);
  await more.started;
  client.clock.advance(999);
  await client.session.listTools();
  expect(client.listens()).toHaveLength(1);
  client.clock.advance(1);
  await expect.poll(() => client.sent("notifications/cancelled").length).toBe(1);
  const [first, second] = client.listens();
  expect(second).toHaveLength(7);
  expect(second).toEqual(expect.arrayContaining([...(first ?? [])]));
  // The first is cancelled when the second has been acknowledged.
  const acknowledged = client.received.filter(
    ({ method }) => method === "notifications/subscriptions/acknowledged",
  );
  expect(acknowledged).toHaveLength(2);
  client.open();
  expect(await calls.texts).toEqual(done(3));
  expect(await more.texts).toEqual(done(4));
  expect(client.listens()).toHaveLength(2);
});

test("when the stream breaks, no result is lost, and there is one listen again (R-540)", async () => {
  const client = await followed(modernRevision, overHttp);
  const calls = await heard(client);
  client.cut();
  // Each task is read at once, because the last state may be lost.
  await expect.poll(() => client.sent("tasks/get").length).toBe(2 * count);
  client.clock.advance(1000);
  await expect.poll(() => client.sent("tasks/get").length).toBe(3 * count);
  expect(client.listens()).toHaveLength(2);
  client.open();
  expect(await calls.texts).toEqual(done(count));
});

test("tasks that end while there is no stream are polled (R-540)", async () => {
  const client = await followed(modernRevision, overHttp);
  const calls = await heard(client);
  client.server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "subscriptions/listen") {
      throw new RpcError(-32_603, "Too many");
    }
    return next(request);
  });
  client.cut();
  await expect.poll(() => client.sent("tasks/get").length).toBe(2 * count);
  client.open();
  expect(await withTime(client, calls.texts)).toEqual(done(count));
  expect(client.errors).toEqual([]);
});

test.each([
  ["does not have it", -32_601, []],
  ["does not allow it", -32_021, [{ code: -32_021 }]],
])("a server that %s is asked once, and its tasks are polled", async (_, code, errors) => {
  const client = await followed(modernRevision, inMemory);
  client.server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "subscriptions/listen") {
      throw new RpcError(code, "No");
    }
    return next(request);
  });
  const calls = callGated(client, 3);
  await calls.started;
  client.clock.advance(200);
  await expect.poll(() => client.listens().length).toBe(1);
  client.open();
  expect(await withTime(client, calls.texts)).toEqual(done(3));
  expect(await withTime(client, callGated(client, 2).texts)).toEqual(done(2));
  expect(client.listens()).toHaveLength(1);
  expect(client.errors).toMatchObject(errors);
});

test("a server that does not support the field is asked once, and its tasks are polled (R-533)", async () => {
  const client = await followed(modernRevision, inMemory);
  client.server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "subscriptions/listen") {
      Object.assign(request.params as object, { notifications: {} });
    }
    return next(request);
  });
  const calls = callGated(client, 3);
  await calls.started;
  client.clock.advance(200);
  await expect.poll(() => client.sent("notifications/cancelled").length).toBe(1);
  client.open();
  expect(await withTime(client, calls.texts)).toEqual(done(3));
  expect(client.listens()).toHaveLength(1);
});

test("a server that accepts few tasks sends those, and the others are polled", async () => {
  const client = await followed(modernRevision, inMemory, { limits: { maxSubscriptions: 7 } });
  const calls = callGated(client, count);
  await calls.started;
  for (const asked of [50, 25, 12, 6]) {
    await expect
      .poll(() => {
        client.clock.advance(200);
        return client.listens().at(-1)?.length;
      })
      .toBe(asked);
  }
  await expect.poll(() => client.sent("tasks/get").length).toBe(6);
  client.open();
  expect(await withTime(client, calls.texts)).toEqual(done(count));
  expect(client.listens().every(({ length }) => length <= 50)).toBe(true);
  expect(client.errors).toEqual([]);
});

test("more than 1,000 tasks are not listened to at a time", async () => {
  const client = await followed(modernRevision, inMemory);
  const calls = callGated(client, 1010);
  await calls.started;
  client.clock.advance(200);
  await expect.poll(() => client.listens().at(0)?.length).toBe(1000);
  client.open();
  expect(await withTime(client, calls.texts)).toEqual(done(1010));
});

test("a watch shares the listen with calls, and yields what the server sends", async () => {
  const client = await followed(modernRevision, inMemory);
  const started = (await client.session.tasks.start({ name: "gated" })) as StartedTask;
  const states: string[] = [];
  const watching = (async () => {
    for await (const { status } of started.watch()) {
      states.push(status);
    }
  })();
  const calls = callGated(client, 2);
  await calls.started;
  await expect.poll(() => states).toEqual(["working"]);
  client.clock.advance(200);
  // One of the watch when it began.
  await expect.poll(() => client.sent("tasks/get").length).toBe(4);
  client.open();
  await watching;
  await calls.texts;
  expect(states).toEqual(["working", "completed"]);
  expect(client.listens()).toHaveLength(1);
  expect(client.sent("tasks/get")).toHaveLength(4);
});

test("while the server sends the states of a task, it is polled seldom (R-702)", async () => {
  const client = await followed(modernRevision, inMemory);
  const calls = await heard(client, 3);
  client.clock.advance(50_000);
  await client.session.listTools();
  expect(client.sent("tasks/get")).toHaveLength(3);
  client.clock.advance(20_000);
  await expect.poll(() => client.sent("tasks/get").length).toBe(6);
  client.open();
  expect(await calls.texts).toEqual(done(3));
});

test("a state from before the known one is not taken, and the task is read instead", async () => {
  const client = await followed(modernRevision, inMemory);
  const late = { status: "working", lastUpdatedAt: "2020-01-01T00:00:00.000Z" };
  client.server.addSendingMiddleware((next) => (request) => {
    if (request.method === "notifications/tasks") {
      Object.assign(request.params as object, late);
    }
    return next(request);
  });
  const calls = await heard(client, 1);
  client.open();
  expect(await calls.texts).toEqual(["done"]);
  expect(client.sent("tasks/get")).toHaveLength(2);
});

test("a state that is not valid is reported, and the task is read instead", async () => {
  const client = await followed(modernRevision, inMemory);
  client.server.addSendingMiddleware(
    (next) => (request) =>
      next(
        request.method === "notifications/tasks"
          ? { ...request, params: { ...request.params, status: "new" } }
          : request,
      ),
  );
  const calls = await heard(client, 1);
  client.open();
  expect(await calls.texts).toEqual(["done"]);
  expect(client.errors).toMatchObject([{ code: "INVALID_TASK" }]);
});

test.each(links)("a legacy client does not listen, and gets its results (%s)", async (_, link) => {
  const client = await followed(legacyRevision, link);
  await client.session.listTools();
  const calls = callGated(client, count);
  await calls.started;
  client.open();
  expect(await calls.texts).toEqual(done(count));
  expect(client.listens()).toEqual([]);
  expect(client.sent("tasks/result")).toHaveLength(count);
});
