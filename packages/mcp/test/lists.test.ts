import { isResourceNotFound, type Server } from "@tenon/mcp";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

function addEverything(server: Server): void {
  for (let index = 0; index < 5; index++) {
    server.addTool({ name: `tool${index}` }, () => "");
    server.addPrompt(
      { name: `prompt${index}`, arguments: [{ name: "a", required: true }] },
      ({ a }) => `said ${a}`,
    );
    server.addResource({ uri: `r:${index}`, name: "r" }, () => `text ${index}`);
    server.addResourceTemplate(
      { uriTemplate: `t${index}:{x}`, name: "t", complete: { x: ["one", "two"] } },
      ({ variables }) => variables.x,
    );
  }
}

test.each(bothEras)(
  "iterators go through all pages in %s, from the start or from a cursor (S-073, S-074, S-075, S-198)",
  async (revision) => {
    await using pair = await connectPair({ revision, server: { limits: { pageSize: 2 } } }, addEverything);
    const { session } = pair;
    const numbers = [0, 1, 2, 3, 4];
    const names = async (items: AsyncIterable<object>, key: string): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const item of items) {
        found.push(Reflect.get(item, key));
      }
      return found;
    };
    expect(await names(session.tools(), "name")).toEqual(numbers.map((n) => `tool${n}`));
    expect(await names(session.prompts(), "name")).toEqual(numbers.map((n) => `prompt${n}`));
    expect(await names(session.resources(), "uri")).toEqual(numbers.map((n) => `r:${n}`));
    expect(await names(session.resourceTemplates(), "uriTemplate")).toEqual(numbers.map((n) => `t${n}:{x}`));

    const { nextCursor = "" } = await session.listPrompts();
    expect(await names(session.prompts({ cursor: nextCursor }), "name")).toEqual([
      "prompt2",
      "prompt3",
      "prompt4",
    ]);
    await expect(names(session.resources({ cursor: "nonsense" }), "uri")).rejects.toMatchObject({
      code: -32602,
    });
  },
);

test.each(bothEras)(
  "every spec method has its method in %s (S-068, S-069, S-070, S-105, S-106, S-150, S-175)",
  async (revision) => {
    await using pair = await connectPair({ revision }, addEverything);
    const { session } = pair;
    const filled = await session.getPrompt({ name: "prompt1", arguments: { a: "hi" } });
    expect(filled.messages).toEqual([{ role: "user", content: { type: "text", text: "said hi" } }]);
    const read = await session.readResource({ uri: "r:3" });
    expect(read.contents).toEqual([{ uri: "r:3", text: "text 3" }]);
    const { completion } = await session.complete({
      ref: { type: "ref/resource", uri: "t1:{x}" },
      argument: { name: "x", value: "t" },
    });
    expect(completion.values).toEqual(["two"]);
    const seen: unknown[] = [];
    pair.server.addReceivingMiddleware((next) => (request) => {
      seen.push(request.meta["com.example/why"]);
      return next(request);
    });
    await session.ping();
    await session.ping({ _meta: { "com.example/why": "bored" } });
    await session.ping({}, { timeoutMs: 1000 });
    expect(seen).toEqual([undefined, "bored", undefined]);
  },
);

test.each(bothEras)("a resource that is not there is recognised in %s (R-515)", async (revision) => {
  await using pair = await connectPair({ revision }, addEverything);
  const error: unknown = await pair.session.readResource({ uri: "r:9" }).catch((reason: unknown) => reason);
  expect(isResourceNotFound(error)).toBe(true);
  const other: unknown = await pair.session.getPrompt({ name: "no" }).catch((reason: unknown) => reason);
  expect(isResourceNotFound(other)).toBe(false);
});

test.each(bothEras)(
  "lists are in the same order for everyone, whatever was asked before, in %s (R-461, R-462, R-511)",
  async (revision) => {
    await using first = await connectPair({ revision }, addEverything);
    await using second = await connectPair({ revision }, addEverything);
    await second.session.callTool({ name: "tool3" });
    await second.session.readResource({ uri: "r:3" });
    expect((await second.session.listTools()).tools).toEqual((await first.session.listTools()).tools);
    expect((await second.session.listResources()).resources).toEqual(
      (await first.session.listResources()).resources,
    );
  },
);

test("all pages of a list have the same scope, and what is there is declared (R-460, R-510, R-583)", async () => {
  await using pair = await connectPair(
    {
      revision: modernRevision,
      server: {
        cache: { ttlMs: 5, methods: { "resources/list": { cacheScope: "public" } } },
        limits: { pageSize: 2 },
      },
    },
    addEverything,
  );
  const { session } = pair;
  expect(session.serverCapabilities).toEqual({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
  });
  const scopes = new Set<unknown>();
  let cursor: string | undefined;
  do {
    const page = await session.listResources(cursor === undefined ? {} : { cursor });
    scopes.add(page.cacheScope);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect([...scopes]).toEqual(["public"]);
});

test("a list without end fails after as many pages as the caller allows (T-070)", async () => {
  const follow = async (maxPages: number | undefined, pages: number): Promise<unknown> => {
    await using wire = await openServerWire(legacyRevision);
    const answering = (async () => {
      for (let page = 1; page <= pages; page++) {
        await wire.answer({ tools: [{ name: "t" }], nextCursor: `${page}` });
      }
    })();
    let count = 0;
    try {
      for await (const _ of wire.session.tools({ maxPages })) {
        count++;
      }
    } catch (error) {
      await answering;
      return { count, error };
    }
    return undefined;
  };
  expect(await follow(3, 3)).toMatchObject({
    count: 3,
    error: {
      code: "LIMIT_EXCEEDED",
      message: "The server's list of tools has more than 3 pages (maxPages).",
    },
  });
  expect(await follow(undefined, 1000)).toMatchObject({ count: 1000, error: { code: "LIMIT_EXCEEDED" } });
  expect(await follow(0, 0)).toMatchObject({ count: 0, error: { code: "INVALID_DEFINITION" } });
});

test("a list that has as many pages as the caller allows is whole", async () => {
  await using pair = await connectPair(
    { revision: legacyRevision, server: { limits: { pageSize: 2 } } },
    addEverything,
  );
  let count = 0;
  for await (const _ of pair.session.tools({ maxPages: 3 })) {
    count++;
  }
  expect(count).toBe(5);
});
