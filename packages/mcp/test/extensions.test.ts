import { isLocalError, isRpcError } from "@tenon/jsonrpc2";
import { array, date, integer, number, schema, string } from "@tenon/jsonschema";
import {
  Client,
  defineMethod,
  defineNotification,
  isMcpError,
  Server,
  type ClientOptions,
  type ClientSession,
  type ServerOptions,
} from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, expectTypeOf, test } from "vitest";

import { initialize, modern, openWire, request } from "./wire.ts";

// A sample extension: a server that counts words of a text that grows, and a client that shows the
// counts and knows a dictionary.

const id = "com.example/words";

@schema({ additionalProperties: false })
class Counted {
  @integer("How often") times!: number;
  @date("Since when") since!: Date;
}

const count = defineMethod({
  method: "com.example/words/count",
  extension: id,
  params: {
    type: "object",
    properties: { word: { type: "string", minLength: 1 }, mode: { enum: ["any", "exact"], default: "any" } },
    required: ["word"],
    additionalProperties: false,
  },
  result: Counted,
});
const lookUp = defineMethod({
  method: "com.example/words/look-up",
  extension: id,
  params: class {
    @string("What to look up") word!: string;
  },
  result: class {
    @array(string()) meanings!: string[];
  },
});
const append = defineNotification({
  method: "notifications/com.example/words/append",
  extension: id,
  params: class {
    @string("More text") text!: string;
  },
});
const grown = defineNotification({
  method: "notifications/com.example/words/grown",
  extension: id,
  params: class {
    @number("How long the text is") length!: number;
  },
});

const since = new Date("2026-07-28T00:00:00Z");

function wordServer(options: ServerOptions = {}): Server {
  const server = new Server({ name: "words", version: "1.0.0" }, options);
  let text = "a tenon and a mortise";
  server.addMethod(count, async ({ word, mode }, context) => {
    expectTypeOf(mode).toEqualTypeOf<"any" | "exact">();
    await context.notify(grown, { length: text.length });
    const times = text
      .split(" ")
      .filter((other) => (mode === "any" ? other.includes(word) : other === word)).length;
    return { times, since };
  });
  server.addNotification(append, (params) => {
    text += params.text;
  });
  server.addTool(
    {
      name: "define",
      input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    },
    async ({ word }, context) => (await context.call(lookUp, { word })).meanings.join(),
  );
  return server;
}

interface Shown {
  readonly session: ClientSession;
  readonly lengths: number[];
}

async function connect(
  server: Server,
  revision: Revision,
  knowsWords = true,
  options: ClientOptions = {},
): Promise<Shown> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision], ...options });
  const lengths: number[] = [];
  if (knowsWords) {
    client.addNotification(grown, ({ length }) => lengths.push(length));
    client.addMethod(lookUp, ({ word }) => ({ meanings: [`what ${word} means`] }));
  }
  return { session: await client.connect(here), lengths };
}

test.each(bothEras)(
  "requests and notifications of an extension go both ways, typed, checked and revived, in %s (R-691, R-692, S-005, S-044)",
  async (revision) => {
    const { session, lengths } = await connect(wordServer(), revision);
    expect(session.serverCapabilities.extensions).toEqual({ [id]: {} });
    const result = await session.request(count, { word: "a" });
    expectTypeOf(result).toEqualTypeOf<Counted>();
    expect(result).toBeInstanceOf(Counted);
    expect(result).toEqual(Object.assign(new Counted(), { times: 3, since }));
    expect(lengths).toEqual([21]);
    await session.notify(append, { text: " and a peg" });
    expect((await session.request(count, { word: "a", mode: "exact" })).times).toBe(3);
    await session.close();
  },
);

test("a legacy server asks its client by an extension; a modern one cannot (R-121)", async () => {
  const legacy = await connect(wordServer(), legacyRevision);
  expect(await legacy.session.callTool({ name: "define", arguments: { word: "peg" } })).toMatchObject({
    content: [{ text: "what peg means" }],
  });
  const errors: unknown[] = [];
  const modernPair = await connect(wordServer({ onError: (error) => errors.push(error) }), modernRevision);
  await modernPair.session.callTool({ name: "define", arguments: { word: "peg" } });
  expect(errors).toEqual([expect.objectContaining({ code: "NOT_IN_REVISION" })]);
});

test.each(bothEras)(
  "what one side has not declared the other does not use, in %s (R-690, R-691)",
  async (revision) => {
    const plain = new Server({ name: "plain", version: "1.0.0" });
    plain.addTool({ name: "t" }, () => "");
    const { session } = await connect(plain, revision);
    expect(session.serverCapabilities.extensions).toBeUndefined();
    await expect(session.request(count, { word: "a" })).rejects.toSatisfy((error) =>
      isMcpError(error, "CAPABILITY_MISSING"),
    );
    await session.notify(append, { text: "dropped" });
    const { session: ignorant, lengths } = await connect(wordServer(), revision, false);
    const refused: unknown = await ignorant.request(count, { word: "a" }).catch((error: unknown) => error);
    expect(isRpcError(refused) && refused.code).toBe(revision === legacyRevision ? -32601 : -32021);
    expect(isRpcError(refused) && refused.data).toEqual(
      revision === legacyRevision ? undefined : { requiredCapabilities: { extensions: { [id]: {} } } },
    );
    expect(lengths).toEqual([]);
  },
);

test.each(bothEras)(
  "params that do not fit are refused on both sides, with -32602 on the wire, in %s (R-693)",
  async (revision) => {
    const { session } = await connect(wordServer(), revision);
    await expect(session.request(count, { word: "" })).rejects.toThrow(TypeError);
    await using wire = await openWire({}, (server) => {
      server.addMethod(defineMethod({ ...count, extension: undefined }), () => ({ times: 1, since }));
    });
    if (revision === legacyRevision) {
      await wire.ask(initialize(revision));
    }
    const meta = revision === legacyRevision ? {} : { _meta: modern };
    expect(await wire.ask(request(1, count.method, { word: 7, ...meta }))).toMatchObject({
      error: { code: -32602 },
    });
    expect(await wire.ask(request(2, count.method, { word: "w", ...meta }))).toMatchObject({
      result: { times: 1, since: since.toISOString() },
    });
  },
);

test("a result that does not fit leaves as a generic error, and its reason goes to onError", async () => {
  const errors: unknown[] = [];
  const server = new Server({ name: "bad", version: "1.0.0" }, { onError: (error) => errors.push(error) });
  server.addMethod(count, () => ({ times: "three" }) as never);
  const { session } = await connect(server, modernRevision);
  const error: unknown = await session.request(count, { word: "a" }).catch((reason: unknown) => reason);
  expect(isRpcError(error) && [error.code, error.message.includes("three")]).toEqual([-32603, false]);
  expect(String(errors[0])).toMatch(/Invalid result of/);
});

test("settings are declared, and an extension may be declared without any message", async () => {
  const server = wordServer({ extensions: { "com.example/other": { level: 2 } } });
  const { session } = await connect(server, modernRevision, true, {
    extensions: { [id]: { dialect: "en" } },
  });
  expect(session.serverCapabilities.extensions).toEqual({ "com.example/other": { level: 2 }, [id]: {} });
  expect(session.declaredCapabilities.extensions).toEqual({ [id]: { dialect: "en" } });
});

test.each([
  "words",
  "/words",
  "com.example/",
  "1com/words",
  "com..example/words",
  "com.example/words/more",
  "com.example/-a",
])("%j is no name of an extension (R-200, R-131)", (name) => {
  expect(() => new Server({ name: "s", version: "1" }, { extensions: { [name]: {} } })).toThrow(
    /prefix and a name/,
  );
});

test("methods of the protocol, of any revision, and taken names are refused; removed ones are free again", async () => {
  const server = wordServer();
  for (const method of ["tools/call", "initialize", "subscriptions/listen", "rpc.discover", ""]) {
    expect(() => server.addMethod(defineMethod({ method }), () => ({}))).toThrow(/protocol does not use/);
  }
  expect(() => server.addMethod(count, () => ({ times: 1, since }))).toThrow(/defined already/);
  const { session } = await connect(server, modernRevision);
  server.removeMethods(count.method);
  await expect(session.request(count, { word: "a" })).rejects.toMatchObject({ code: -32601 });
  server.addMethod(count, () => ({ times: 9, since }));
  expect((await session.request(count, { word: "a" })).times).toBe(9);
});

test("messages of extensions pass through middleware, and can be cancelled", async () => {
  const server = wordServer();
  const waits = defineMethod({ method: "com.example/wait", extension: id });
  server.addMethod(
    waits,
    (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({}))),
  );
  const seen: string[] = [];
  server.addReceivingMiddleware((next) => (inbound) => {
    seen.push(inbound.method);
    return next(inbound);
  });
  const { session } = await connect(server, modernRevision);
  await session.request(count, { word: "a" });
  await session.notify(append, { text: "!" });
  await session.ping();
  expect(seen).toEqual(expect.arrayContaining([count.method, append.method]));
  const reason = new Error("enough");
  const controller = new AbortController();
  const call = session.request(waits, {}, { signal: controller.signal });
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect(session.request(waits, {}, { timeoutMs: 5 })).rejects.toSatisfy((error) =>
    isLocalError(error, "TIMEOUT"),
  );
});
