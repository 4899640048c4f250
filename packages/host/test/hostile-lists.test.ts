import { RpcError } from "@tenon/jsonrpc2";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type HostEvents, type ManagerOptions } from "../src/index.ts";
import { addEcho, localServer, once } from "./fixture.ts";

// What a server lists may be anything; the other servers are there all the same.

const prototype = ["toString", "__proto__", "constructor"].map((name) => ({ name, inputSchema: {} }));

const pages: Readonly<Record<string, object>> = {
  "no list": {},
  "a text": { tools: "abc" },
  "what looks like a list": { tools: { length: 3 } },
  nothing: { tools: [null] },
  "what is no object": { tools: ["echo", 5, [], {}] },
  "names that are no text": { tools: [{ name: 5 }, { name: null }, { name: { toString: null } }] },
  "odd members": { tools: [{ name: "x", inputSchema: null, annotations: "yes", description: 7, title: {} }] },
  "names of JavaScript's own": { tools: prototype, ttlMs: "soon" },
  "a number as cursor": { tools: [], nextCursor: 5 },
  "an object as cursor": { tools: [], nextCursor: { toString: null } },
  "the same cursor for ever": { tools: [], nextCursor: "same" },
  "a description of a megabyte": { tools: [{ name: "x", description: "x".repeat(1_000_000) }] },
  "a page of 200,000": { tools: Array.from({ length: 200_000 }, () => ({ name: "t" })) },
};

test.each(bothEras.flatMap((era) => Object.entries(pages).map(([name, page]) => [era, name, page] as const)))(
  "a server of %s that lists %s leaves the tools of the others alone (T-071)",
  async (era, _, page) => {
    const bad = localServer(addEcho, { server: { revisions: [era] } });
    bad.server.addReceivingMiddleware(
      (next) => (request) => (request.method === "tools/list" ? page : next(request)),
    );
    const fine = localServer();
    await using manager = new Manager({ servers: { bad: bad.spec, fine: fine.spec } });
    const failures: HostEvents["list_failed"][] = [];
    manager.on("list_failed", (event) => failures.push(event));
    await manager.connectAll();
    const tools = await manager.tools();
    expect(tools.filter(({ server }) => server === "fine").map(({ name }) => name)).toEqual([
      "mcp__fine__echo",
    ]);
    for (const { name, tool } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(typeof tool.name).toBe("string");
    }
    expect(failures.every(({ error }) => (error as { code?: unknown }).code !== undefined)).toBe(true);
    const answer = await manager.callToolByName("mcp__fine__echo", { text: "hi" });
    expect(answer.content).toEqual([{ type: "text", text: "hi" }]);
  },
);

const plain = (name: string): object => ({ name, inputSchema: { type: "object" } });

/** A server whose tools/list is the given one, and what a manager says of it. */
async function listedBy(
  listed: unknown,
  limits: ManagerOptions["limits"] = {},
): Promise<{
  names: string[];
  schemas: unknown[];
  incomplete: HostEvents["list_incomplete"][];
  failed: HostEvents["list_failed"][];
}> {
  const bad = localServer(addEcho, { server: { revisions: [legacyRevision] } });
  bad.server.addReceivingMiddleware(
    (next) => (request) => (request.method === "tools/list" ? { tools: listed } : next(request)),
  );
  await using manager = new Manager({ servers: { bad: bad.spec }, limits });
  const incomplete: HostEvents["list_incomplete"][] = [];
  const failed: HostEvents["list_failed"][] = [];
  manager.on("list_incomplete", (event) => incomplete.push(event));
  manager.on("list_failed", (event) => failed.push(event));
  await manager.connectAll();
  const tools = (await manager.tools()).map(({ tool }) => tool);
  const names = tools.map(({ name }) => name);
  return { names, schemas: tools.map(({ inputSchema }) => inputSchema), incomplete, failed };
}

test.each<readonly [string, unknown, string]>([
  ["nothing", null, "one has no name"],
  ["a text", "echo", "one has no name"],
  ["a list", [], "one has no name"],
  ["a tool without a name", { inputSchema: {} }, "one has no name"],
  ["a schema that is a text", { name: "x", inputSchema: "" }, '"x" has an inputSchema that is not an object'],
  [
    "a schema that is a list",
    { name: "x", inputSchema: [1] },
    '"x" has an inputSchema that is not an object',
  ],
  [
    "a description that is a number",
    { name: "x", inputSchema: {}, description: 7 },
    '"x" has a description that is not a string',
  ],
  [
    "annotations that are a text",
    { name: "x", inputSchema: {}, annotations: "yes" },
    '"x" has annotations that are not an object',
  ],
  [
    "a tool that is too long",
    { ...plain("x"), description: "x".repeat(500) },
    '"x" is longer than 400 characters (maxItemLength)',
  ],
])("%s in a list is left out and reported, and the other tools stay (T-071)", async (_, item, why) => {
  const { names, incomplete, failed } = await listedBy([plain("a"), item, plain("b")], {
    maxItemLength: 400,
  });
  expect(names).toEqual(["a", "b"]);
  expect(failed).toEqual([]);
  const message = `Of the tools of bad 1 were left out: ${why}.`;
  expect(incomplete).toMatchObject([{ server: "bad", list: "tools", dropped: 1, error: { message } }]);
});

test("a tool without a schema takes any object, so that every conversion can rely on its schema", async () => {
  const empty = [{ name: "x" }, { name: "y", inputSchema: null }, { name: "z", inputSchema: [] }];
  const { names, incomplete, schemas } = await listedBy(empty);
  expect([names, incomplete, schemas]).toEqual([["x", "y", "z"], [], empty.map(() => ({ type: "object" }))]);
});

test("ten thousand bad items are one report of a few lines (T-071)", async () => {
  const items = Array.from({ length: 9_999 }, () => null);
  const { names, incomplete } = await listedBy([...items, plain("a")]);
  expect(names).toEqual(["a"]);
  expect(incomplete).toMatchObject([{ dropped: 9_999 }]);
  expect(incomplete[0]?.error.message.length).toBeLessThan(300);
});

test("all items of a list together are limited, and a list beyond that fails (T-071)", async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({
    ...plain(`t${index}`),
    description: "x".repeat(900),
  }));
  const { names, failed } = await listedBy(items, { maxItemLength: 1000 });
  expect(names).toEqual([]);
  const message = "The tools of bad are longer than 64000 characters (64 times maxItemLength).";
  expect(failed).toMatchObject([{ error: { code: "LIMIT_EXCEEDED", message } }]);
});

test("a server that does not know a list it need not have has an empty one, which is remembered; without tools it is a failure", async () => {
  const a = localServer(
    (server) => {
      addEcho(server);
      server.addResource({ uri: "x://1", name: "x" }, () => "");
    },
    { server: { revisions: [legacyRevision] } },
  );
  const unknown = new Set(["resources/templates/list"]);
  let asked = 0;
  a.server.addReceivingMiddleware((next) => (request) => {
    if (unknown.has(request.method)) {
      asked++;
      throw new RpcError(-32601, "Method not found");
    }
    return next(request);
  });
  await using manager = new Manager({ servers: { a: a.spec } });
  const failed: HostEvents["list_failed"][] = [];
  manager.on("list_failed", (event) => failed.push(event));
  await manager.connectAll();
  for (let round = 0; round < 3; round++) {
    expect(await manager.resourceTemplates()).toEqual([]);
    manager.invalidateServer("a");
  }
  expect(await manager.resources()).toHaveLength(1);
  expect([asked, failed]).toEqual([1, []]);
  unknown.add("tools/list");
  expect(await manager.tools()).toEqual([]);
  expect(failed).toMatchObject([{ server: "a", list: "tools", error: { code: "REMOTE_ERROR" } }]);
});

test("a server with new names in every list takes no names from the others, and its own are limited", async () => {
  let generation = 0;
  const bad = localServer(addEcho, { server: { revisions: [legacyRevision] } });
  bad.server.addReceivingMiddleware((next) => (request) => {
    if (request.method !== "tools/list") {
      return next(request);
    }
    generation++;
    return { tools: Array.from({ length: 10 }, (_, index) => plain(`t${generation}.${index}`)) };
  });
  const fine = localServer();
  await using manager = new Manager({
    servers: { bad: bad.spec, fine: fine.spec },
    limits: { maxItems: 10 },
  });
  await manager.connectAll();
  const [old] = await manager.tools();
  for (let round = 0; round < 5; round++) {
    const isTold = once(manager, "list_changed");
    bad.server.addTool({ name: `trigger${round}` }, () => "");
    await isTold;
    const tools = await manager.tools();
    expect(tools).toHaveLength(11);
    expect(tools.at(-1)?.name).toBe("mcp__fine__echo");
  }
  await expect(manager.callToolByName(old?.name ?? "")).rejects.toMatchObject({ code: "UNKNOWN_TOOL" });
  const { content } = await manager.callToolByName("mcp__fine__echo", { text: "hi" });
  expect(content).toEqual([{ type: "text", text: "hi" }]);
});
