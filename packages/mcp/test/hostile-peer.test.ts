import type { Connection, Outgoing } from "@tenon/jsonrpc2";
import { Client, defineMethod, Server } from "@tenon/mcp";
import { eraOf, methodTables } from "@tenon/protocol";
import { samples, seed } from "@tenon/samples";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { afterAll, beforeAll, expect, test } from "vitest";

import { everyRevision } from "./conversation.ts";
import { initialize, modern } from "./wire.ts";

// Whatever a peer sends, well-formed as JSON-RPC but hostile as MCP: nothing may escape as an
// unhandled rejection, and the session goes on (T-001).

const rounds = samples(10_000);
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(async () => {
  process.on("unhandledRejection", note);
  // The first request for input would load it, perhaps at the very end of this file: what is being
  // loaded then fails, also for the files that run after this one.
  await import("../src/feature/interaction/server/ask.lazy.ts");
});
afterAll(() => void process.off("unhandledRejection", note));

type Random = (below: number) => number;

function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

const leaves: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  "",
  "a",
  "x".repeat(3000),
  "\u0000\ud800",
  "__proto__",
  "file:///etc/passwd",
  "notes://1",
  "add",
  "ask",
  "slow",
  legacyRevision,
  modernRevision,
  [],
  {},
  [null],
];
const names = [
  "name",
  "arguments",
  "uri",
  "cursor",
  "ref",
  "argument",
  "context",
  "level",
  "requestId",
  "progressToken",
  "progress",
  "protocolVersion",
  "capabilities",
  "clientInfo",
  "notifications",
  "resourceSubscriptions",
  "inputResponses",
  "requestState",
  "_meta",
  "type",
  "value",
  "id",
  "__proto__",
  "constructor",
  "toString",
  "resultType",
  "content",
  "structuredContent",
  "tools",
  "nextCursor",
  "inputRequests",
  "method",
  "params",
  "action",
  "roots",
  "reason",
  "elicitationId",
  "message",
  "requestedSchema",
  "mode",
  "url",
  "task",
  "a",
  "b",
];
const methods = [
  ...new Set(Object.values(methodTables).flatMap((table) => Object.keys(table))),
  "com.example/own",
  "rpc.x",
  "__proto__",
  "",
  "x".repeat(300),
];

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

function value(random: Random, depth = 0): unknown {
  if (depth > 4 || random(3) === 0) {
    return pick(random, leaves);
  }
  return random(4) === 0
    ? Array.from({ length: random(3) }, () => value(random, depth + 1))
    : object(random, depth + 1);
}

function object(random: Random, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random(5) }, () => [pick(random, names), value(random, depth)]),
  );
}

function params(random: Random): object | undefined {
  switch (random(5)) {
    case 0:
      return undefined;
    case 1:
      return { ...object(random), _meta: value(random) };
    case 2:
      return { ...object(random), _meta: { ...modern, ...(random(2) === 0 ? object(random) : {}) } };
    case 3:
      return {
        name: pick(random, ["add", "ask", "slow", "nothing"]),
        arguments: value(random),
        _meta: modern,
      };
    default:
      return object(random);
  }
}

function message(random: Random, id: number): Outgoing {
  const method = pick(random, methods);
  const own = params(random);
  const withParams = own === undefined ? {} : { params: own };
  switch (random(6)) {
    case 0:
      return { jsonrpc: "2.0", method, ...withParams };
    case 1:
      return { jsonrpc: "2.0", id: random(50), result: value(random) };
    case 2:
      return {
        jsonrpc: "2.0",
        id: random(50),
        error: { code: random(2) === 0 ? -32042 : 5, message: "no", data: value(random) },
      };
    default:
      return { jsonrpc: "2.0", id, method, ...withParams };
  }
}

/** Reads everything until the answer to `id`; answers what is asked with anything at all. */
async function drain(connection: Connection, random: Random, id: string | number): Promise<unknown> {
  for (;;) {
    const read = (await connection.read()) as Record<string, unknown> | undefined;
    if (read === undefined || (read["id"] === id && !("method" in read))) {
      return read;
    }
    if ("method" in read && "id" in read) {
      const answer = random(2) === 0 ? { result: value(random) } : { error: { code: 1, message: "no" } };
      await connection.write({ jsonrpc: "2.0", id: read["id"], ...answer } as Outgoing);
    }
  }
}

/**
 * Asks again while a hostile answer that is still under way happens to have the id of the question.
 */
async function sincere<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = 100; left > 0; left--) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) {
      return answer;
    }
  }
  return ask();
}

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

const form = { type: "object", properties: { ok: { type: "boolean" } } } as const;

function everythingServer(onError: (error: unknown) => void): Server {
  const server = new Server(
    { name: "server", version: "1.0.0" },
    { onError, logging: true, limits: { pageSize: 2 } },
  );
  const input = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } } as const;
  server.addTool({ name: "add", input, output: { type: "number" } }, ({ a = 0, b = 0 }) => a + b);
  server.addTool({ name: "ask", inputSchema: { type: "object" } }, async (_, context) => {
    void context.progress(1);
    void context.log("info", "asking");
    const [{ action }] = await Promise.all([
      context.elicit({ message: "?", requestedSchema: form }),
      context.listRoots(),
      context.sample({ messages: [], maxTokens: 1 }),
    ]);
    return action;
  });
  server.addTool({ name: "slow", inputSchema: { type: "object" } }, async (_, { signal }) => {
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      setImmediate(resolve);
    });
    throw new Error("slow and broken");
  });
  server.addPrompt({ name: "a" }, () => "hello");
  server.addResource({ uri: "notes://1", name: "one" }, () => "text");
  server.addMethod(defineMethod({ method: "com.example/own", params: input }), () => ({}));
  return server;
}

test.each(everyRevision)(
  "a server survives thousands of hostile messages of a client in %s, and answers the next one (S-090, R-136, T-001)",
  async (revision) => {
    const random = createRandom(seed() + everyRevision.indexOf(revision));
    const server = everythingServer(() => {});
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const connection = await here.connect();
    if (eraOf(revision) === "legacy") {
      await connection.write(initialize(revision) as Outgoing);
      await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
      await drain(connection, random, "init");
    }
    for (let id = 1; id <= rounds; id += 100) {
      for (let next = id; next < id + 100; next++) {
        await connection.write(message(random, next));
      }
      const last = `last ${id}`;
      await connection.write({ jsonrpc: "2.0", id: last, method: "tools/list", params: { _meta: modern } });
      expect(await drain(connection, random, last)).toMatchObject({
        result: { tools: [{ name: "add" }, { name: "ask" }] },
      });
    }
    await connection.close();
    await server.close({ drainMs: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  },
);

test.each(everyRevision)(
  "a client survives thousands of hostile messages of a server in %s (S-099, R-113, R-114)",
  async (revision) => {
    const random = createRandom(seed() - everyRevision.indexOf(revision));
    const [here, there] = createInMemoryTransports();
    const connection = await there.connect();
    const client = new Client(
      { name: "client", version: "1.0.0" },
      {
        revisions: [revision],
        roots: [{ uri: "file:///home" }],
        elicitation: { form: (asked) => ({ action: "accept", content: asked as never }) },
        limits: { maxRounds: 2 },
      },
    );
    const opening = client.connect(here);
    await connection.read();
    await connection.write({
      jsonrpc: "2.0",
      id: 1,
      result:
        eraOf(revision) === "legacy"
          ? { protocolVersion: revision, capabilities, serverInfo: { name: "s", version: "1" } }
          : {
              resultType: "complete",
              ttlMs: 0,
              cacheScope: "private",
              supportedVersions: [revision],
              capabilities,
            },
    });
    const session = await opening;
    const settled: Promise<unknown>[] = [];
    let lastId = 1;
    void (async () => {
      // Read, so that the client may go on writing; understood is the last request alone.
      for (let read = await connection.read(); read !== undefined; read = await connection.read()) {
        const { id, method, params } = read as { id?: number; method?: string; params?: { cursor?: string } };
        lastId = method === undefined ? lastId : (id ?? lastId);
        if (id !== undefined && params?.cursor === "last") {
          const result = { tools: [{ name: "alive", inputSchema: { type: "object" } }] };
          await connection.write({ jsonrpc: "2.0", id, result });
        }
      }
    })();
    for (let id = 1; id <= rounds; id += 50) {
      const calls = [
        session.listTools(),
        session.callTool({ name: "x" }),
        session.callTool({ name: "add", input: undefined, output: { type: "number" } }, {}),
        session.request("resources/read", { uri: "notes://1" }),
        session.request("completion/complete", {
          ref: { type: "ref/prompt", name: "a" },
          argument: { name: "a", value: "" },
        }),
      ];
      settled.push(
        ...calls.map((call) =>
          call.then(
            () => {},
            () => {},
          ),
        ),
      );
      for (let next = id; next < id + 50; next++) {
        const hostile = message(random, next) as { id?: unknown };
        // Most answers should hit a call that was made; none the last one, which is to be answered
        // well.
        if (!("method" in hostile) && random(4) > 0) {
          hostile.id = random(lastId + 1);
        }
        await connection.write(hostile as Outgoing);
      }
    }
    expect((await sincere(() => session.listTools({ cursor: "last" }))).tools).toMatchObject([
      { name: "alive" },
    ]);
    expect(session.isClosed).toBe(false);
    await session.close({ drainMs: 0 });
    await Promise.all(settled);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  },
);
