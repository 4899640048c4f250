import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type Server } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair, type Pair } from "./pair.ts";

const uri = "notes://1";

function addNotes(server: Server): void {
  let reads = 0;
  server.addResource({ uri, name: "one", cache: { ttlMs: 1000 } }, () => `read ${++reads}`);
  server.addResource(
    { uri: "notes://2", name: "two", cache: { ttlMs: 1000, cacheScope: "public" } },
    () => "two",
  );
  server.addTool({ name: "t" }, () => "");
}

const server = { cache: { ttlMs: 1000 } };
const count = ({ sent }: Pair, method: string): number => sent.filter((name) => name === method).length;

test("a fresh answer is given again, a stale one is asked for anew (R-577, R-579)", async () => {
  const clock = createVirtualClock();
  await using pair = await connectPair({ revision: modernRevision, server, client: { clock } }, addNotes);
  const { session } = pair;
  const first = await session.listTools();
  expect(await session.listTools()).toEqual(first);
  clock.advance(999);
  await session.listTools();
  expect(count(pair, "tools/list")).toBe(1);
  clock.advance(1);
  await session.listTools();
  expect(count(pair, "tools/list")).toBe(2);
  await session.listTools({}, { fresh: true });
  expect(count(pair, "tools/list")).toBe(3);
});

test("what a caller does to an answer is not seen by the next one", async () => {
  await using pair = await connectPair({ revision: modernRevision, server }, addNotes);
  const first = await pair.session.listTools();
  first.tools.length = 0;
  const second = await pair.session.listTools();
  second.tools.length = 0;
  expect((await pair.session.listTools()).tools).toHaveLength(1);
});

test("params make a difference, _meta and retries are not cached at all (R-577, R-578)", async () => {
  await using pair = await connectPair({ revision: modernRevision, server }, addNotes);
  const { session } = pair;
  await session.readResource({ uri });
  await session.readResource({ uri: "notes://2" });
  await session.readResource({ uri });
  expect(count(pair, "resources/read")).toBe(2);
  await session.readResource({ uri, _meta: { "com.example/tenant": "a" } });
  await expect(session.readResource({ uri, requestState: "s" })).rejects.toMatchObject({ code: -32602 });
  await session.readResource({ uri, inputResponses: {} });
  expect(count(pair, "resources/read")).toBe(5);
});

test("without a time to live nothing is kept, nor in the legacy era, nor with the cache off (R-579, R-586)", async () => {
  await using none = await connectPair({ revision: modernRevision }, (it) =>
    it.addTool({ name: "t" }, () => ""),
  );
  await none.session.listTools();
  await none.session.listTools();
  expect(count(none, "tools/list")).toBe(2);
  await using legacy = await connectPair({ revision: legacyRevision, server }, addNotes);
  await legacy.session.listTools();
  await legacy.session.listTools();
  expect(count(legacy, "tools/list")).toBe(2);
  await using off = await connectPair(
    { revision: modernRevision, server, client: { cache: false } },
    addNotes,
  );
  await off.session.listTools();
  await off.session.listTools();
  expect(count(off, "tools/list")).toBe(2);
});

test("private answers stay with who they were made for, public ones are for all (R-581, T-77)", async () => {
  let user = "alice";
  await using pair = await connectPair(
    { revision: modernRevision, client: { authorizationContext: () => user } },
    addNotes,
  );
  const { session } = pair;
  const read = async (): Promise<unknown> => (await session.readResource({ uri })).contents;
  const alice = await read();
  await session.readResource({ uri: "notes://2" });
  user = "bob";
  const bob = await read();
  expect(bob).not.toEqual(alice);
  await session.readResource({ uri: "notes://2" });
  user = "alice";
  expect(await read()).toEqual(alice);
  expect(count(pair, "resources/read")).toBe(3);
});

test.each<[string, () => unknown]>([
  ["a promise", () => Promise.resolve("alice")],
  ["a rejecting promise", () => Promise.reject(new Error("no session"))],
  ["undefined", () => undefined],
  ["an object", () => ({ id: "alice" })],
  ["NaN", () => NaN],
])(
  "an authorizationContext that returns %s gives nobody's answers to anybody (N-212)",
  async (_, context) => {
    await using pair = await connectPair(
      { revision: modernRevision, client: { authorizationContext: context as () => string } },
      addNotes,
    );
    await expect(pair.session.readResource({ uri })).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
      message: expect.stringContaining("authorizationContext must return a string") as string,
    });
    expect(count(pair, "resources/read")).toBe(0);
  },
);

test("an authorizationContext that is neither a string nor a function is refused when it is given", () => {
  const authorizationContext = { id: "alice" } as unknown as string;
  expect(() => new Client({ name: "c", version: "1" }, { authorizationContext })).toThrow(
    "authorizationContext must be a string or a function that returns one; got object.",
  );
});

test("a change makes answers stale: a whole list, or a resource (R-582, T-82)", async () => {
  await using pair = await connectPair(
    {
      revision: modernRevision,
      server: { ...server, limits: { pageSize: 1 } },
      client: { onToolsChanged: () => {} },
    },
    addNotes,
  );
  const { session } = pair;
  pair.server.addTool({ name: "u" }, () => "");
  await session.ping();
  for (let round = 0; round < 2; round++) {
    for await (const _ of session.tools()) {
      // Only the requests count.
    }
  }
  expect(count(pair, "tools/list")).toBe(2);
  pair.server.addTool({ name: "v" }, () => "");
  await session.ping();
  const { tools, nextCursor = "" } = await session.listTools();
  expect(tools).toHaveLength(1);
  await session.listTools({ cursor: nextCursor });
  expect(count(pair, "tools/list")).toBe(4);

  const watch = session.watch(uri);
  await watch.ready;
  await session.readResource({ uri });
  await session.readResource({ uri: "notes://2" });
  pair.server.resourceUpdated(uri);
  await watch.next();
  await session.readResource({ uri });
  await session.readResource({ uri: "notes://2" });
  expect(count(pair, "resources/read")).toBe(3);
});

test("an answer that was on its way when a change was told is not kept", async () => {
  let release = (): void => {};
  await using pair = await connectPair({ revision: modernRevision }, (it) => {
    it.addResource({ uri, name: "one", cache: { ttlMs: 1000 } }, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return "old";
    });
  });
  const { session } = pair;
  const watch = session.watch(uri);
  await watch.ready;
  const reading = session.readResource({ uri });
  await session.ping();
  pair.server.resourceUpdated(uri);
  await watch.next();
  release();
  await reading;
  const again = session.readResource({ uri });
  await session.ping();
  release();
  await again;
  expect(count(pair, "resources/read")).toBe(2);
});

test("an answer that comes late does not take the place of the answer to a later request", async () => {
  const gates = [deferred<string>(), deferred<string>()];
  let reads = 0;
  await using pair = await connectPair({ revision: modernRevision }, (server) => {
    server.addResource({ uri, name: "one", cache: { ttlMs: 1000 } }, () => gates[reads++]?.promise ?? "");
  });
  const older = pair.session.readResource({ uri });
  await expect.poll(() => reads).toBe(1);
  const newer = pair.session.readResource({ uri });
  gates[1]?.resolve("new");
  await newer;
  gates[0]?.resolve("old");
  expect((await older).contents).toMatchObject([{ text: "old" }]);
  expect((await pair.session.readResource({ uri })).contents).toMatchObject([{ text: "new" }]);
  expect(reads).toBe(2);
});

test("a newer answer for all is not hidden by an older one of one's own", async () => {
  let reads = 0;
  await using pair = await connectPair({ revision: modernRevision }, (server) => {
    server.addResource({ uri, name: "one" }, () => ({
      contents: [{ uri, text: `read ${++reads}` }],
      ttlMs: 1000,
      cacheScope: reads === 1 ? "private" : "public",
    }));
  });
  const { session } = pair;
  await session.readResource({ uri });
  await session.readResource({ uri }, { fresh: true });
  expect((await session.readResource({ uri })).contents).toMatchObject([{ text: "read 2" }]);
  expect(reads).toBe(2);
});

test("the cache is bounded, the least recently used answer goes first", async () => {
  await using pair = await connectPair(
    { revision: modernRevision, client: { cache: { maxEntries: 2 } } },
    (it) => it.addResourceTemplate({ uriTemplate: "n:{id}", name: "n", cache: { ttlMs: 1000 } }, () => ""),
  );
  const { session } = pair;
  for (const id of ["a", "b", "a", "c", "a", "b"]) {
    await session.readResource({ uri: `n:${id}` });
  }
  expect(count(pair, "resources/read")).toBe(4);
});

test("the client's own limit of time goes before the server's", async () => {
  const clock = createVirtualClock();
  await using pair = await connectPair(
    { revision: modernRevision, server, client: { clock, cache: { maxTtlMs: 10 } } },
    addNotes,
  );
  await pair.session.listTools();
  clock.advance(10);
  await pair.session.listTools();
  expect(count(pair, "tools/list")).toBe(2);
});

test("a cursor that stopped working drops the pages of its list (R-584)", async () => {
  await using pair = await connectPair({ revision: modernRevision, server }, addNotes);
  const { session } = pair;
  await session.listTools();
  await expect(session.listTools({ cursor: "gone" })).rejects.toMatchObject({ code: -32602 });
  await session.listTools();
  expect(count(pair, "tools/list")).toBe(3);
});

test("an answer that does not say for whom it is, is private (R-587)", async () => {
  let user = "alice";
  await using pair = await connectPair(
    { revision: modernRevision, client: { authorizationContext: () => user } },
    addNotes,
  );
  pair.client.addSendingMiddleware((next) => async (call) => {
    const result = await next(call);
    return typeof result === "object" && result !== null ? { ...result, cacheScope: undefined } : result;
  });
  await pair.session.readResource({ uri: "notes://2" });
  await pair.session.readResource({ uri: "notes://2" });
  user = "bob";
  await pair.session.readResource({ uri: "notes://2" });
  expect(count(pair, "resources/read")).toBe(2);
});

test("the cache is bounded in what it holds, and does not hold what is larger than all of it", async () => {
  const sizes: Readonly<Record<string, number>> = { a: 300, b: 300, c: 300, whole: 2000 };
  await using pair = await connectPair(
    { revision: modernRevision, client: { cache: { maxLength: 1300 } } },
    (it) =>
      it.addResourceTemplate({ uriTemplate: "n:{id}", name: "n", cache: { ttlMs: 1000 } }, ({ variables }) =>
        "x".repeat(sizes[variables.id] ?? 0),
      ),
  );
  const read = async (...ids: readonly string[]): Promise<number> => {
    const before = count(pair, "resources/read");
    for (const id of ids) {
      const { contents } = await pair.session.readResource({ uri: `n:${id}` });
      expect(contents).toMatchObject([{ text: "x".repeat(sizes[id] ?? 0) }]);
    }
    return count(pair, "resources/read") - before;
  };
  expect(await read("a", "b", "a", "b")).toBe(2);
  expect(await read("whole", "whole", "a", "b")).toBe(2);
  // There is room for two of them.
  expect(await read("c", "b", "c")).toBe(1);
  expect(await read("a")).toBe(1);
});
