import { RpcError, type Connection, type Outgoing } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { forbidUnhandledRejections, macrotask } from "./asking.ts";
import { everyRevision } from "./conversation.ts";
import { initialize, modern, request } from "./wire.ts";

// Each sequence is legal JSON, each message could be sent by a peer that is broken or means harm.
// Whatever it is: no rejection is left unhandled, and the other side goes on serving (T-001).
// Random messages are in hostile-peer.test.ts.
forbidUnhandledRejections();

const note = (method: string, params?: object): object => ({
  jsonrpc: "2.0",
  method,
  ...(params && { params }),
});
const answer = (id: unknown, result: unknown): object => ({ jsonrpc: "2.0", id, result });
const refusal = (id: unknown, code: number): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: "no" },
});
const many = (count: number, make: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nested = (depth: number): unknown => (depth === 0 ? {} : { deeper: nested(depth - 1) });

/**
 * What a client may do to a server that has the tools `ask`, `slow` and `throw`. Request ids above
 * 1000 are the test's own.
 */
const againstServers: readonly [string, readonly object[]][] = [
  [
    "cancels what it never asked, twice",
    many(50, (id) => note("notifications/cancelled", { requestId: id % 25 })),
  ],
  [
    "cancels requests in the moment it sends them",
    many(50, (id) =>
      id % 2 === 0
        ? request(id, "tools/call", { name: "slow", _meta: modern })
        : note("notifications/cancelled", { requestId: id - 1 }),
    ),
  ],
  [
    "uses one id for many requests at once",
    many(50, () => request(1, "tools/call", { name: "slow", _meta: modern })),
  ],
  [
    "answers questions that nobody asked",
    many(50, (id) => (id % 2 === 0 ? answer(id, { action: "accept" }) : refusal(id, -32_000))),
  ],
  [
    "answers with null, text and lists",
    [answer(0, null), answer(1, "x"), answer(2, [1]), answer(null, {}), refusal(null, 0)],
  ],
  [
    "reports progress on nothing",
    many(50, (id) => note("notifications/progress", { progressToken: id, progress: id })),
  ],
  ["initializes again and again", many(20, () => initialize(legacyRevision))],
  ["says that it is ready before and after", many(20, () => note("notifications/initialized"))],
  [
    "says that its roots have changed, a hundred times",
    many(100, () => note("notifications/roots/list_changed")),
  ],
  [
    "lets handlers throw synchronously and late",
    many(40, (id) =>
      request(id, "tools/call", { name: "throw", arguments: { late: id % 2 }, _meta: modern }),
    ),
  ],
  [
    "asks to be asked and leaves the questions open",
    many(20, (id) =>
      request(id, "tools/call", {
        name: "ask",
        _meta: { ...modern, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } },
      }),
    ),
  ],
  [
    "comes back with states it made up",
    many(20, (id) =>
      request(id, "tools/call", {
        name: "ask",
        requestState: `t1.${id}.AAAA`,
        inputResponses: { "elicitation#1": { action: id } },
        _meta: modern,
      }),
    ),
  ],
  [
    "listens and cancels at once",
    many(40, (id) =>
      id % 2 === 0
        ? request(id, "subscriptions/listen", { notifications: { toolsListChanged: true }, _meta: modern })
        : note("notifications/cancelled", { requestId: id - 1 }),
    ),
  ],
  [
    "nests as deep as a message may",
    [request(1, "tools/call", { name: "slow", arguments: nested(60), _meta: modern })],
  ],
  [
    "sends methods of servers",
    [
      "sampling/createMessage",
      "roots/list",
      "elicitation/create",
      "notifications/message",
      "notifications/tools/list_changed",
    ].flatMap((method, id) => [request(id, method, { _meta: modern }), note(method)]),
  ],
  [
    "names prototypes",
    ["__proto__", "constructor", "hasOwnProperty"].flatMap((name, id) => [
      request(id, name),
      request(10 + id, "tools/call", { name, _meta: modern }),
      request(20 + id, "prompts/get", { name, arguments: { [name]: name }, _meta: modern }),
    ]),
  ],
];

function hostileTarget(): Server {
  const server = new Server(
    { name: "target", version: "1" },
    {
      logging: true,
      onRootsListChanged: () => {
        throw new Error("a callback that fails");
      },
      limits: { listChangedDelayMs: 0 },
    },
  );
  server.addTool({ name: "slow", inputSchema: { type: "object" } }, async () => {
    await macrotask();
    return "slow";
  });
  server.addTool({ name: "throw", inputSchema: { type: "object" } }, ({ late }) => {
    if (late === 1) {
      return macrotask().then(() => Promise.reject(new Error("late")));
    }
    throw new RpcError(1, "at once");
  });
  server.addTool({ name: "ask" }, async (_, ctx) => {
    const form = { type: "object", properties: { a: { type: "string" } } } as const;
    void ctx.elicit({ message: "left alone", requestedSchema: form }, { key: "x" });
    return (await ctx.elicit({ message: "?", requestedSchema: form })).action;
  });
  return server;
}

/** Reads until the answer to an id. */
async function readUntil(connection: Connection, id: string): Promise<unknown> {
  for (;;) {
    const read = (await connection.read()) as { id?: unknown } | undefined;
    if (read === undefined || (read.id === id && !("method" in read))) {
      return read;
    }
  }
}

test.each(
  againstServers.flatMap(([what, messages]) =>
    everyRevision.map((revision) => ({ what, messages, revision })),
  ),
)("a server goes on when a client of $revision $what", async ({ messages, revision }) => {
  const server = hostileTarget();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const connection = await here.connect();
  if (eraOf(revision) === "legacy") {
    await connection.write(initialize(revision) as Outgoing);
    await readUntil(connection, "init");
    await connection.write(note("notifications/initialized") as Outgoing);
  }
  const writing = (async () => {
    for (const message of messages) {
      await connection.write(message as Outgoing);
    }
    const params = eraOf(revision) === "modern" ? { _meta: modern } : {};
    await connection.write(request("last", "tools/list", params) as Outgoing);
  })();
  expect(await readUntil(connection, "last")).toMatchObject({ result: { tools: [{ name: "ask" }, {}, {}] } });
  await writing;
  server.addTool({ name: "new" }, () => "");
  await macrotask();
  await connection.close();
  await server.close({ drainMs: 0 });
});

/** What a server may do to a client that waits for the answers to requests 2, 3 and 4. */
const againstClients: readonly [string, readonly object[]][] = [
  ["answers what was not asked", many(50, (id) => answer(100 + id, { tools: [] }))],
  [
    "answers twice",
    [answer(2, { tools: [] }), answer(2, { tools: [] }), refusal(2, 1), answer(3, {}), refusal(3, 1)],
  ],
  ["answers with values that are no results", [answer(2, null), answer(3, "x"), answer(4, [])]],
  ["answers with result types of its own", [2, 3, 4].map((id) => answer(id, { resultType: "strange" }))],
  [
    "asks for input that makes no sense",
    [2, 3, 4].map((id) =>
      answer(id, {
        resultType: "input_required",
        inputRequests: { a: { method: "roots/list" }, b: 7, c: { method: "no/such" } },
        requestState: {},
      }),
    ),
  ],
  [
    "asks for input without end",
    many(40, (id) =>
      answer(2 + id, {
        resultType: "input_required",
        inputRequests: { a: { method: "roots/list" } },
        requestState: "again",
      }),
    ),
  ],
  [
    "reports progress on everything, backwards",
    many(50, (id) => note("notifications/progress", { progressToken: id % 6, progress: -id })),
  ],
  ["cancels the client's own requests", many(6, (id) => note("notifications/cancelled", { requestId: id }))],
  [
    "says that lists have changed, without end",
    many(100, (id) => note(`notifications/${["tools", "prompts", "resources"][id % 3]}/list_changed`)),
  ],
  [
    "logs what is no message",
    [
      note("notifications/message"),
      note("notifications/message", { level: "loud", data: 1 }),
      note("notifications/message", { level: "info", data: nested(50) }),
    ],
  ],
  [
    "acknowledges what was not listened to",
    [
      note("notifications/subscriptions/acknowledged", { notifications: null }),
      note("notifications/subscriptions/acknowledged", {
        _meta: { "io.modelcontextprotocol/subscriptionId": 2 },
        notifications: {},
      }),
    ],
  ],
  [
    "asks for forms that are no forms",
    many(10, (id) =>
      request(id, "elicitation/create", {
        message: id,
        requestedSchema:
          id % 2 === 0 ? null : { type: "object", properties: { a: { $ref: "#/properties/a" } } },
      }),
    ),
  ],
  [
    "asks the same with one id, and cancels",
    [
      request(7, "roots/list"),
      request(7, "roots/list"),
      note("notifications/cancelled", { requestId: 7 }),
      request(7, "sampling/createMessage", { messages: [], maxTokens: 1 }),
    ],
  ],
  [
    "asks handlers that fail",
    many(20, (id) => request(id, "sampling/createMessage", { messages: [], maxTokens: 1 })),
  ],
];

async function connectHostile(
  revision: Revision,
): Promise<{ session: ClientSession; connection: Connection }> {
  const fail = (): never => {
    throw new Error("a handler that fails");
  };
  const client = new Client(
    { name: "target", version: "1" },
    {
      revisions: [revision],
      roots: [{ uri: "file:///a" }],
      sampling: { createMessage: () => Promise.reject(new Error("no model")) },
      elicitation: { form: () => ({ action: "accept", content: {} }) },
      onLog: fail,
      onError: fail,
      ...(eraOf(revision) === "legacy"
        ? { onToolsChanged: fail, onPromptsChanged: fail, onResourcesChanged: fail }
        : {}),
      limits: { maxRounds: 3 },
    },
  );
  const [here, there] = createInMemoryTransports();
  const connecting = client.connect(here);
  const connection = await there.connect();
  await connection.read();
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
    logging: {},
  };
  await connection.write(
    answer(
      1,
      eraOf(revision) === "legacy"
        ? { protocolVersion: revision, capabilities, serverInfo: { name: "hostile", version: "1" } }
        : {
            resultType: "complete",
            ttlMs: 0,
            cacheScope: "private",
            supportedVersions: [revision],
            capabilities,
          },
    ) as Outgoing,
  );
  return { session: await connecting, connection };
}

test.each(
  againstClients.flatMap(([what, messages]) =>
    everyRevision.map((revision) => ({ what, messages, revision })),
  ),
)("a client goes on when a server of $revision $what", async ({ messages, revision }) => {
  const { session, connection } = await connectHostile(revision);
  void (async () => {
    for (let read = await connection.read(); read !== undefined; read = await connection.read()) {
      const { id, params } = read as { id?: number; params?: { cursor?: string } };
      if (id !== undefined && params?.cursor === "last") {
        await connection.write(answer(id, { tools: [] }) as Outgoing);
      }
    }
  })();
  const waiting = [
    session.listTools(),
    session.callTool(
      { name: "t" },
      {
        onProgress: () => {
          throw new Error("a callback that fails");
        },
      },
    ),
    session.readResource({ uri: "memo://1" }),
  ];
  const settled = Promise.allSettled(waiting);
  for (const message of messages) {
    await connection.write(message as Outgoing);
  }
  // No answer of a sequence may hit the last request, so it comes after fifty others.
  const others = Promise.allSettled(Array.from({ length: 50 }, () => session.listPrompts()));
  expect((await session.listTools({ cursor: "last" })).tools).toEqual([]);
  expect(session.isClosed).toBe(false);
  await session.close({ drainMs: 0 });
  await Promise.all([settled, others]);
  await macrotask();
});
