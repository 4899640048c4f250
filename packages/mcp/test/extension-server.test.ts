import { isRpcError } from "@tenon/jsonrpc2";
import {
  Client,
  createSuspension,
  defineClientExtension,
  defineMethod,
  defineNotification,
  defineServerExtension,
  isMcpError,
  isSuspension,
  type RequestContext,
  type ServerExtensionDefinition,
  type ServerExtensionHost,
} from "@tenon/mcp";
import { revisions, type Revision, type SubscriptionFilter } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";

import { connectPair, textOf, type Pair } from "./pair.ts";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /** How soon calls of the tool run: an option of the extension of these tests. */
    readonly queue?: { readonly name: string } | undefined;
  }
  interface ContextExtensionProperties {
    /** The tenant of the request: a property of the extension of these tests. */
    readonly tenant?: string;
  }
}

const id = "com.example/queue";
/** The newest revision without tasks. */
const olderRevision =
  revisions
    .filter((each) => each < legacyRevision)
    .toSorted()
    .at(-1) ?? legacyRevision;
const none = (): void => undefined;

interface Setup {
  readonly revision?: Revision;
  readonly declared?: object | null;
  readonly definition?: Partial<ServerExtensionDefinition>;
}

/** A server with the extension and a client that declares it, unless `declared` is `null`. */
async function connect(
  { revision = modernRevision, declared = {}, definition }: Setup,
  setup: ServerExtensionDefinition["setup"],
): Promise<Pair & { host: ServerExtensionHost }> {
  let host: ServerExtensionHost | undefined;
  const extension = defineServerExtension({
    id,
    ...definition,
    setup: (server, given) => {
      host = given;
      return setup(server, given);
    },
  });
  const extensions = declared === null ? {} : { [id]: declared };
  const pair = await connectPair({ revision, client: { extensions } }, (server) => server.use(extension));
  onTestFinished(() => pair[Symbol.asyncDispose]());
  return { ...pair, host: host as unknown as ServerExtensionHost };
}

test.each(bothEras)(
  "a server declares an extension with the settings of its setup (%s)",
  async (revision) => {
    const { session } = await connect({ revision }, () => ({ lanes: 3 }));
    expect(session.serverCapabilities).toMatchObject({ extensions: { [id]: { lanes: 3 } } });
  },
);

test.each(bothEras)("an extension of another era is not declared (%s)", async (revision) => {
  const eras = [revision === legacyRevision ? "modern" : "legacy"] as const;
  const { session, host } = await connect({ revision, definition: { eras } }, none);
  expect(session.serverCapabilities).not.toHaveProperty("extensions");
  const context = { client: { capabilities: { extensions: { [id]: {} } } }, revision };
  expect(host.settingsOf(context as never)).toBeUndefined();
});

test("an extension is refused a second time, with a bad name, and with settings that are no object", async () => {
  await using pair = await connectPair({}, none);
  const extension = defineServerExtension({ id, setup: none });
  pair.server.use(extension);
  const refused = (name: string, settings?: unknown) => () => {
    pair.server.use(defineServerExtension({ id: name, setup: () => settings as object }));
  };
  expect(refused(id)).toThrow("is declared already");
  expect(refused("queue")).toThrow("Extension name must be");
  expect(refused("com.example/queue/fast")).toThrow("Extension name must be");
  expect(refused("com.example/other", 3)).toThrow("must return its settings");
  expect(refused("io.modelcontextprotocol/auth/queue")).not.toThrow();
});

test.each(bothEras)("the settings of a client are checked and typed (%s)", async (revision) => {
  const settings = { type: "object", properties: { lane: { type: "integer", default: 1 } } } as const;
  const seen: unknown[] = [];
  const extension = defineServerExtension({
    id,
    settings,
    setup: (server, host) => {
      server.addTool({ name: "t" }, (_, context) => {
        const own = host.settingsOf(context);
        expectTypeOf(own?.lane).toEqualTypeOf<number | undefined>();
        seen.push(own);
      });
    },
  });
  for (const declared of [{ lane: 2 }, {}, { lane: "two" }, { lane: "two" }]) {
    await using pair = await connectPair(
      { revision, client: { extensions: { [id]: declared } } },
      (server) => {
        server.use(extension);
      },
    );
    await pair.session.callTool({ name: "t" });
    await pair.session.callTool({ name: "t" });
    const warnings = (): unknown[] => pair.errors.filter((error) => isMcpError(error, "INVALID_SETTINGS"));
    await expect.poll(warnings).toHaveLength(declared.lane === "two" ? 1 : 0);
  }
  expect(seen).toEqual([
    ...[{ lane: 2 }, { lane: 2 }, { lane: 1 }, { lane: 1 }],
    ...[undefined, undefined, undefined, undefined],
  ]);
});

test("a method of one era of the protocol may be an extension's in the other", async () => {
  const get = defineMethod({ method: "tasks/get", extension: id, eras: ["modern"] });
  const setup: ServerExtensionDefinition["setup"] = (server, host) => {
    server.addMethod(get, ({ taskId }) => ({ from: "extension", taskId }));
    host.addCapability("tasks", () => ({ list: {} }));
    host.handle("tasks/get", ({ taskId }) => ({ from: "protocol", taskId }));
  };
  const modern = await connect({}, setup);
  expect(await modern.session.request(get, { taskId: "1" })).toEqual({ from: "extension", taskId: "1" });
  expect(modern.session.serverCapabilities).not.toHaveProperty("tasks");
  const legacy = await connect({ revision: legacyRevision }, setup);
  expect(legacy.session.serverCapabilities).toMatchObject({ tasks: { list: {} } });
  expect(await legacy.session.request("tasks/get", { taskId: "1" })).toEqual({
    from: "protocol",
    taskId: "1",
  });
  const older = await connect({ revision: olderRevision }, setup);
  expect(older.session.serverCapabilities).not.toHaveProperty("tasks");
  await expect(older.session.request(get, {})).rejects.toMatchObject({ code: "NOT_IN_REVISION" });
});

test("names of the protocol are refused in the eras that have them, and handled ones altogether", async () => {
  await connect({}, (server, host) => {
    const add = (eras?: readonly ["legacy" | "modern"]) => () => {
      server.addMethod(defineMethod({ method: "tasks/list", eras }), () => ({}));
    };
    expect(add()).toThrow("that the protocol does not use");
    expect(add(["legacy"])).toThrow("that the protocol does not use");
    expect(add(["modern"])).not.toThrow();
    const handle = (method: string) => () => {
      host.handle(method, () => ({}));
    };
    expect(handle("tools/list")).toThrow("the server does not handle it");
    expect(handle("com.example/x")).toThrow("only if the protocol has it");
    const declare = (name: string) => () => {
      host.addCapability(name, () => ({}));
    };
    expect(declare("tools")).toThrow("declared by the server itself");
  });
});

test("a result type is returned only to clients that declare its extension", async () => {
  const setup: ServerExtensionDefinition["setup"] = (server, host) => {
    host.addResultType("tools/call", "queued");
    server.addTool({ name: "t", queue: { name: "slow" } }, () => "now");
    host.addToolOption("queue", { call: () => ({ resultType: "queued", place: 7 }) });
  };
  const declaring = await connect({}, setup);
  // The client does not know the type: only an extension of its own would take it.
  await expect(declaring.session.callTool({ name: "t" })).rejects.toMatchObject({ code: "INVALID_RESULT" });
  expect(declaring.received.at(-1)).toMatchObject({ result: { resultType: "queued", place: 7 } });
  const plain = await connect({ declared: null }, setup);
  await expect(plain.session.callTool({ name: "t" })).rejects.toMatchObject({ code: -32603 });
  expect(String(plain.errors)).toContain("must belong to an extension of the client");
});

test.each(bothEras)(
  "an option of a tool is checked, listed, and called around the tool (%s)",
  async (revision) => {
    const calls: unknown[] = [];
    const { session, server } = await connect({ revision }, (given, host) => {
      given.addTool(
        {
          name: "early",
          queue: { name: "fast" },
          input: { type: "object", properties: { n: { type: "integer", default: 4 } } },
        },
        ({ n }) => `ran ${n}`,
      );
      given.addTool({ name: "plain" }, () => "ran");
      host.addToolOption<{ name: string }>("queue", {
        check: (value) => {
          if (typeof (value as { name?: unknown }).name !== "string") {
            throw new TypeError("a queue needs a name");
          }
        },
        list: ({ name }, { era }) => ({ _meta: { "com.example/queue": `${name} ${era}` } }),
        call: ({ tool, value, rawArguments, arguments: args, run }) => {
          calls.push([tool.name, value, rawArguments, args]);
          return run();
        },
      });
      expect(() => {
        host.addToolOption("title", {});
      }).toThrow("have an option");
    });
    server.addTool({ name: "late", queue: { name: "slow" } }, () => "ran late");
    const { tools } = await session.listTools();
    const era = revision === legacyRevision ? "legacy" : "modern";
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["early", { "com.example/queue": `fast ${era}` }],
      ["late", { "com.example/queue": `slow ${era}` }],
      ["plain", undefined],
    ]);
    expect(textOf(await session.callTool({ name: "early", arguments: {} }))).toBe("ran 4");
    expect(textOf(await session.callTool({ name: "late" }))).toBe("ran late");
    expect(textOf(await session.callTool({ name: "plain" }))).toBe("ran");
    expect(calls).toEqual([
      ["early", { name: "fast" }, {}, { n: 4 }],
      ["late", { name: "slow" }, {}, {}],
    ]);
    expect(() => {
      server.addTool({ name: "bad", queue: { name: 1 as never } }, () => "");
    }).toThrow("The option queue of tool bad: a queue needs a name");
    await session.callTool({ name: "early", arguments: { n: "x" } }).catch(none);
    expect(calls).toHaveLength(2);
  },
);

test.each(bothEras)("the _meta of a tool and of its options is one object (%s)", async (revision) => {
  const { session } = await connect({ revision }, (server, host) => {
    host.addToolOption("queue", { list: () => ({ _meta: { "com.example/queue": 1 } }) });
    host.addToolOption("price", { list: () => ({ _meta: { "com.example/price": 2 } }) });
    const both = { queue: { name: "a" }, price: 2 };
    server.addTool({ name: "both", ...both, _meta: { "com.example/own": 0 } }, () => "");
  });
  const [tool] = (await session.listTools()).tools;
  expect(tool?._meta).toEqual({
    "com.example/own": 0,
    "com.example/queue": 1,
    "com.example/price": 2,
  });
});

test.each(bothEras)("an option of a tool may run its handler in another context (%s)", async (revision) => {
  const { session } = await connect({ revision }, (server, host) => {
    server.addTool({ name: "who", queue: { name: "a" } }, (_, context) => context.tenant ?? "nobody");
    host.addToolOption("queue", {
      call: ({ request, run }) => run(request.with({ properties: { tenant: "acme" } })),
    });
  });
  expect(textOf(await session.callTool({ name: "who" }))).toBe("acme");
});

test.each(bothEras)("middleware gives handlers the properties of an extension (%s)", async (revision) => {
  const { session, server } = await connect({ revision }, none);
  server.addReceivingMiddleware(
    (next) => (request) => next(request.with({ properties: { tenant: "acme" } })),
    (next) => (request) => next(request.with({ params: { ...request.params, seen: true } })),
  );
  server.addTool({ name: "who" }, (_, context) => context.tenant ?? "nobody");
  expect(textOf(await session.callTool({ name: "who" }))).toBe("acme");
});

test("a tool runs outside of its request as it does inside", async () => {
  const { host, server, errors } = await connect({}, none);
  const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  server.addTool({ name: "twice", input, output }, ({ n }, context) => {
    expect(context.meta).toEqual({ detached: true });
    return { n: 2 * n };
  });
  server.addTool({ name: "waits" }, () => Promise.reject(createSuspension("until tomorrow")));
  server.addTool({ name: "fails" }, () => Promise.reject(new Error("secret")));
  const signal = new AbortController().signal;
  const context = { signal, revision: modernRevision, meta: { detached: true } } as unknown as RequestContext;
  expect(await host.runTool("twice", { n: 4 }, context)).toMatchObject({ structuredContent: { n: 8 } });
  expect(await host.runTool("fails", {}, context)).toMatchObject({ isError: true });
  expect(String(errors)).not.toBe("");
  const suspended: unknown = await host.runTool("waits", {}, context).catch((error: unknown) => error);
  expect(isSuspension(suspended)).toBe(true);
  const invalid = await host.runTool("twice", { n: "x" }, context).catch((error: unknown) => error);
  expect(invalid).toMatchObject({ isError: true });
  const unknown = await host.runTool("none", {}, context).catch((error: unknown) => error);
  expect(isRpcError(unknown) && unknown.code).toBe(-32602);
  expect(host.tool("twice")?.name).toBe("twice");
  expect(host.tool("none")).toBeUndefined();
});

const moved = defineNotification({
  method: "notifications/com.example/queue/moved",
  extension: id,
  params: { type: "object", properties: { place: { type: "integer" } }, required: ["place"] } as const,
});

test("clients that listen to a value of a filter get its notifications, and nobody else", async () => {
  const { session, host } = await connect({}, (_, given) => {
    given.addFilter("queues", {
      accept: (values) => [...values.filter((value) => value !== "foreign"), "more"],
    });
  });
  const got: unknown[][] = [[], []];
  const listen = (queues: readonly string[], index: number) =>
    session.listen({ queues } as SubscriptionFilter, {
      onChange: ({ method, params }) => got[index]?.push([method, params["place"]]),
    });
  const first = await listen(["a", "foreign", "a"], 0);
  const second = await listen(["b"], 1);
  expect(first.honoured).toEqual({ queues: ["a"] });
  host.publish("queues", "a", moved, { place: 1 });
  host.publish("queues", "b", moved, { place: 2 });
  host.publish("queues", "foreign", moved, { place: 3 });
  host.publish("queues", "more", moved, { place: 3 });
  await session.ping();
  await session.listTools();
  expect(got).toEqual([[[moved.method, 1]], [[moved.method, 2]]]);
  await first.close();
  host.publish("queues", "a", moved, { place: 4 });
  host.publish("queues", "b", moved, { place: 5 });
  await session.listTools();
  expect(got).toEqual([
    [[moved.method, 1]],
    [
      [moved.method, 2],
      [moved.method, 5],
    ],
  ]);
  await second.close();
});

test("the owner of a field knows when a listen is over, also one that was refused", async () => {
  const released: unknown[] = [];
  const pair = await connectPair(
    { client: { extensions: { [id]: {} } }, server: { limits: { maxSubscriptions: 1 } } },
    (server) => {
      const release = ({ id: of }: { id: unknown }): void => void released.push(of);
      const setup: ServerExtensionDefinition["setup"] = (_, host) => {
        host.addFilter("queues", { accept: (values) => values, release });
        host.addFilter("broken", { accept: () => Promise.reject(new Error("broken")), release });
      };
      server.use(defineServerExtension({ id, setup }));
    },
  );
  onTestFinished(() => pair[Symbol.asyncDispose]());
  const listen = (filter: object) => pair.session.listen(filter, { onChange: none });
  const first = await listen({ queues: ["a"] });
  await expect(listen({ queues: ["b"] })).rejects.toThrow("maxSubscriptions");
  expect(released).toHaveLength(1);
  await first.close();
  await expect.poll(() => released).toHaveLength(2);
  await expect(listen({ queues: ["a"], broken: ["b"] })).rejects.toMatchObject({ code: -32603 });
  expect(released).toHaveLength(3);
});

test("an invalid notification is reported and not sent", async () => {
  const { session, host, errors } = await connect({}, (_, given) => {
    given.addFilter("queues", { accept: (values) => values });
  });
  const got: unknown[] = [];
  await session.listen({ queues: ["a"] } as SubscriptionFilter, { onChange: (change) => got.push(change) });
  host.publish("queues", "a", moved, { place: "first" });
  host.publish("queues", "a", moved, { place: 2 });
  await expect.poll(() => got).toMatchObject([{ params: { place: 2 } }]);
  expect(String(errors)).toContain("place");
});

test.each([
  ["no list", "a"],
  ["an empty value", [""]],
  ["a number", [1]],
  ["a value that is too long", ["x".repeat(1025)]],
  ["too many values", Array.from({ length: 1025 }, (_, index) => String(index))],
])("a filter field with %s is refused", async (_, queues) => {
  const { session } = await connect({}, (_server, host) => {
    host.addFilter("queues", { accept: (values) => values });
  });
  const refused = session.listen({ queues } as SubscriptionFilter, { onChange: none });
  await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("queues") });
});

test("a filter field needs its extension, and its owner may refuse the request", async () => {
  const setup: ServerExtensionDefinition["setup"] = (_, host) => {
    host.addFilter("queues", { accept: () => Promise.reject(new Error("no such queue")) });
    expect(() => {
      host.addFilter("queues", { accept: (values) => values });
    }).toThrow("defined already");
  };
  const filter = { queues: ["a"] } as SubscriptionFilter;
  const undeclared = await connect({ declared: null }, setup);
  await expect(undeclared.session.listen(filter, { onChange: none })).rejects.toMatchObject({ code: -32021 });
  const declared = await connect({}, setup);
  await expect(declared.session.listen(filter, { onChange: none })).rejects.toMatchObject({ code: -32603 });
  expect(String(declared.errors)).toContain("no such queue");
});

test("results of a cacheable method carry hints, and the client caches them", async () => {
  let runs = 0;
  const look = defineMethod({ method: "com.example/queue/look", extension: id, cacheable: true });
  const pair = await connectPair(
    { client: { extensions: { [id]: {} } }, server: { cache: { ttlMs: 60_000 } } },
    (server) => {
      server.use(
        defineServerExtension({
          id,
          setup: () => {
            server.addMethod(look, () => ({ length: ++runs }));
          },
        }),
      );
    },
  );
  onTestFinished(() => pair[Symbol.asyncDispose]());
  expect(await pair.session.request(look, {})).toEqual({ length: 1 });
  expect(await pair.session.request(look, {})).toEqual({ length: 1 });
  expect(pair.received.at(-1)).toMatchObject({ result: { ttlMs: 60_000, cacheScope: "private" } });
  expect(await pair.session.request(look, {}, { fresh: true })).toEqual({ length: 2 });
});

test.each(bothEras)("the pages of a method are iterated (%s)", async (revision) => {
  const list = defineMethod({
    method: "com.example/queue/list",
    extension: id,
    paged: "waiting",
    result: {
      type: "object",
      properties: {
        waiting: {
          type: "array",
          items: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        },
        nextCursor: { type: "string" },
      },
      required: ["waiting"],
    } as const,
  });
  const { session } = await connect({ revision }, (server) => {
    server.addMethod(list, ({ cursor }) => {
      const n = Number(cursor ?? 0);
      return { waiting: [{ n }, { n: n + 1 }], ...(n < 4 ? { nextCursor: String(n + 2) } : {}) };
    });
  });
  const numbers: number[] = [];
  for await (const { n } of session.pages(list, {})) {
    numbers.push(n);
  }
  expect(numbers).toEqual([0, 1, 2, 3, 4, 5]);
  const { paged: _, ...unpaged } = list;
  await expect(session.pages(unpaged, {}).next()).rejects.toMatchObject({ code: "INVALID_DEFINITION" });
});

test("a client extension without parts declares itself", async () => {
  const client = new Client({ name: "c", version: "1.0.0" });
  client.use(defineClientExtension({ id }));
  expect(() => {
    client.use(defineClientExtension({ id }));
  }).toThrow("is declared already");
  await client.close();
});

test.each(bothEras)("an extension makes the input requests of contexts of its own (%s)", async (revision) => {
  const { host } = await connect({ revision }, none);
  const client = { info: undefined, capabilities: { elicitation: {}, sampling: {}, roots: {} } };
  const context = { revision, client };
  const requestedSchema = { type: "object", properties: { n: { type: "integer" } } } as const;
  const form = await host.inputFor("elicitation/create", { message: "How many?", requestedSchema }, context);
  expect(form).toMatchObject({ method: "elicitation/create", params: { message: "How many?" } });
  expect(await form.read({ action: "accept", content: { n: 3 } })).toEqual({
    action: "accept",
    content: { n: 3 },
  });
  expect(() => form.read({ action: "accept", content: { n: "x" } })).toThrow();
  const roots = await host.inputFor("roots/list", {}, context);
  expect(await roots.read({ roots: [{ uri: "file:///a" }] })).toEqual([{ uri: "file:///a" }]);
  const sample = await host.inputFor("sampling/createMessage", { messages: [], maxTokens: 1 }, context);
  expect(sample.method).toBe("sampling/createMessage");
  const poor = { revision, client: { info: undefined, capabilities: {} } };
  const refused = async (): Promise<unknown> => host.inputFor("roots/list", {}, poor);
  await expect(refused()).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
});
