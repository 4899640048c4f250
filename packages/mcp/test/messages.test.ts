import { methodTables } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { everyRevision, legacyRevisions } from "./conversation.ts";
import { recordEverything, type Sent } from "./recorded.ts";

const isRequest = ({ id, method }: Sent): boolean => id !== undefined && method !== undefined;
const isAnswer = ({ method }: Sent): boolean => method === undefined;

test.each(everyRevision)(
  "every message of both sides is a JSON-RPC 2.0 object, an answer has one of result and error, in %s (R-100, R-105, S-283)",
  async (revision) => {
    const { all, server } = await recordEverything(revision);
    expect(all.length).toBeGreaterThan(40);
    for (const { by: _, ...message } of all) {
      expect(message.jsonrpc).toBe("2.0");
      const members = Object.keys(message).toSorted().join();
      expect([
        "id,jsonrpc,result",
        "error,id,jsonrpc",
        "jsonrpc,method",
        "jsonrpc,method,params",
        "id,jsonrpc,method",
        "id,jsonrpc,method,params",
      ]).toContain(members);
      expect(["number", "string", "undefined"]).toContain(typeof message.id);
    }
    const errors = server.flatMap(({ error }) => (error === undefined ? [] : [error]));
    expect(errors.length).toBeGreaterThan(3);
    for (const error of errors) {
      expect(Number.isSafeInteger(error.code)).toBe(true);
      expect(error.message).toMatch(/./);
    }
  },
);

test.each(everyRevision)("no side uses an id twice, in %s (R-102, R-103)", async (revision) => {
  const { client, server } = await recordEverything(revision);
  for (const side of [client, server]) {
    const ids = side.filter(isRequest).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
  expect(client.filter(isRequest).length).toBeGreaterThan(15);
});

test.each(everyRevision)(
  "each request is answered once, and nothing else is, in %s (R-100, S-081)",
  async (revision) => {
    const { client, server } = await recordEverything(revision);
    const asked = client.filter(isRequest).map(({ id }) => String(id));
    const answered = server.filter(isAnswer).map(({ id }) => String(id));
    expect(answered).toHaveLength(asked.length);
    expect(new Set(answered)).toEqual(new Set(asked));
  },
);

test.each(everyRevision)(
  "only methods that %s has are sent, by the side that may (R-100, R-400)",
  async (revision) => {
    const { all } = await recordEverything(revision);
    expect(all.filter((message) => Array.isArray(message) || "batch" in message)).toEqual([]);
    for (const { by, method } of all) {
      if (method !== undefined && !method.startsWith("com.example/")) {
        const info = methodTables[revision][method];
        expect(info).toBeDefined();
        expect(["either", by]).toContain(info?.sentBy);
        expect(info?.embedded).not.toBe(true);
      }
    }
  },
);

test("every modern request says its revision and its client's capabilities, so that params are never absent (R-137, R-190)", async () => {
  const { client } = await recordEverything(modernRevision);
  const requests = client.filter(isRequest);
  expect(requests.map(({ method }) => method)).not.toContain("initialize");
  for (const { params } of requests) {
    expect(params?._meta).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": modernRevision,
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, roots: {} },
    });
  }
});

test("a modern client without optional capabilities says {} (R-137)", async () => {
  const { client } = await recordEverything(modernRevision, {
    roots: undefined,
    elicitation: undefined,
    extensions: undefined,
  });
  const [first] = client;
  expect(first?.params?._meta?.["io.modelcontextprotocol/clientCapabilities"]).toEqual({});
});

test("a modern server sends no requests (R-121)", async () => {
  const { server } = await recordEverything(modernRevision);
  expect(server.filter(isRequest)).toEqual([]);
  expect(server.length).toBeGreaterThan(20);
});

test.each(legacyRevisions)(
  "initialize comes first, alone, with the newest revision that the client speaks, then initialized, in %s (R-160, R-161, R-165, R-166, R-169)",
  async (revision) => {
    const { all } = await recordEverything(revision, { roots: [{ uri: "file:///work" }] });
    const [first, answer, second] = all;
    expect(first).toMatchObject({
      by: "client",
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: { roots: { listChanged: true } },
        clientInfo: { name: "client", version: "1.0.0" },
      },
    });
    expect(answer).toMatchObject({ by: "server", id: first?.id, result: { protocolVersion: revision } });
    expect(second).toEqual({ by: "client", jsonrpc: "2.0", method: "notifications/initialized" });
  },
);

test.each(everyRevision)(
  "the _meta keys that either side adds by itself are those that the protocol defines, in %s (R-130, R-133, R-134, R-135)",
  async (revision) => {
    const { all } = await recordEverything(revision);
    const keys = new Set(all.flatMap((message) => [...metaKeys(message)]));
    const defined = [
      "progressToken",
      ...[
        "protocolVersion",
        "clientCapabilities",
        "clientInfo",
        "serverInfo",
        "logLevel",
        "subscriptionId",
      ].map((name) => `io.modelcontextprotocol/${name}`),
    ];
    expect([...keys].filter((key) => !defined.includes(key))).toEqual([]);
    expect(keys).toContain("progressToken");
  },
);

/** The keys of every `_meta` in a value, however deep. */
function* metaKeys(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) {
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key === "_meta") {
      yield* Object.keys(member as object);
    } else {
      yield* metaKeys(member);
    }
  }
}

test("every result of the modern era says what it is and who gives it, and may be kept where its method says so (R-112, R-140, R-575)", async () => {
  const { client, server } = await recordEverything(modernRevision);
  const methods = new Map(client.filter(isRequest).map(({ id, method = "" }) => [id, method]));
  const results = server.filter(({ result }) => result !== undefined);
  const types = new Set<unknown>();
  for (const { id, result = {} } of results) {
    const method = methods.get(id) ?? "";
    types.add(result["resultType"]);
    expect(["complete", "input_required"]).toContain(result["resultType"]);
    expect(result["_meta"]).toMatchObject({
      "io.modelcontextprotocol/serverInfo": { name: "server", version: "1.0.0" },
    });
    const isKept =
      methodTables[modernRevision][method]?.cacheable === true && result["resultType"] === "complete";
    expect([method, "ttlMs" in result, "cacheScope" in result]).toEqual([method, isKept, isKept]);
  }
  expect(types).toEqual(new Set(["complete", "input_required"]));
  expect([...methods.values()]).toEqual(
    expect.arrayContaining([
      "server/discover",
      "tools/list",
      "prompts/list",
      "resources/list",
      "resources/read",
    ]),
  );
});

test.each(legacyRevisions)("results of %s have none of that (R-586, R-112)", async (revision) => {
  const { server } = await recordEverything(revision);
  for (const { result } of server) {
    expect(result ?? {}).not.toHaveProperty("resultType");
    expect(result ?? {}).not.toHaveProperty("ttlMs");
    expect(result ?? {}).not.toHaveProperty("cacheScope");
  }
});
