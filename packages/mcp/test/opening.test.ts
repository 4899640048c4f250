import type { Request } from "@tenon/jsonrpc2";
import { createScriptedPeer, createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { converse, everyRevision, legacyRevisions, resultOf } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";
import { initialize, openWire, request } from "./wire.ts";

const info = { name: "client", version: "1.0.0" };
const version = "io.modelcontextprotocol/protocolVersion";

/** A client that is connecting to the test. */
function connecting(options?: ClientOptions): {
  readonly peer: ReturnType<typeof createScriptedPeer>;
  readonly session: Promise<ClientSession>;
} {
  const peer = createScriptedPeer();
  const session = new Client(info, options).connect({ connect: async () => peer.connection });
  session.catch(() => {});
  return { peer, session };
}

const handshake = (protocolVersion: string): object => ({
  protocolVersion,
  capabilities: {},
  serverInfo: { name: "old", version: "0" },
});

test("a dual-era client sends server/discover before anything else, in its newest modern revision, and then the newest legacy one (R-212, R-161)", async () => {
  const { peer, session } = connecting();
  const probe = await peer.nextRequest();
  expect(probe).toMatchObject({
    method: "server/discover",
    params: { _meta: { [version]: modernRevision } },
  });
  expect(peer.received).toHaveLength(1);
  peer.refuse(probe, { code: -32_601, message: "Method not found" });
  const opening = await peer.nextRequest();
  expect(opening).toMatchObject({ method: "initialize", params: { protocolVersion: legacyRevision } });
  peer.answer(opening, handshake(legacyRevision));
  await (await session).close({ drainMs: 0 });
});

test("a client of the modern era alone probes all the same, and fails before anything can run (R-215)", async () => {
  const { peer, session } = connecting({ revisions: [modernRevision] });
  const probe = await peer.nextRequest();
  expect(probe.method).toBe("server/discover");
  peer.refuse(probe, { code: -32_601, message: "Method not found" });
  await expect(session).rejects.toMatchObject({ code: "UNSUPPORTED_REVISION" });
  expect(peer.received).toHaveLength(1);
  expect(peer.isClosed).toBe(true);
});

test.each([
  [["2024-11-05"], "2024-11-05"],
  [["2025-03-26", "2025-06-18", "2024-11-05"], "2025-06-18"],
  [["2025-11-25", "2024-11-05"], "2025-11-25"],
] as const)(
  "a legacy client that speaks %j proposes %s, first and alone (R-160, R-161, R-166)",
  async (revisions, newest) => {
    const { peer, session } = connecting({ revisions });
    const opening = await peer.nextRequest();
    expect(opening).toMatchObject({
      method: "initialize",
      params: { protocolVersion: newest, capabilities: {}, clientInfo: info },
    });
    expect(peer.received).toHaveLength(1);
    peer.answer(opening, handshake(newest));
    expect((await session).revision).toBe(newest);
    expect(await peer.next()).toEqual({ jsonrpc: "2.0", method: "notifications/initialized" });
    await (await session).close({ drainMs: 0 });
  },
);

test("initialize is never cancelled: an abort, or its time limit, ends the connection instead (R-168)", async () => {
  const controller = new AbortController();
  const peer = createScriptedPeer();
  const session = new Client(info, { revisions: [legacyRevision] }).connect(
    { connect: async () => peer.connection },
    { signal: controller.signal },
  );
  await peer.nextRequest();
  controller.abort(new Error("enough"));
  await expect(session).rejects.toThrow("enough");

  const clock = createVirtualClock();
  const slow = connecting({ revisions: [legacyRevision], clock, limits: { timeoutMs: 1000 } });
  await slow.peer.nextRequest();
  clock.advance(1000);
  await expect(slow.session).rejects.toMatchObject({ code: "TIMEOUT" });
  for (const { received, isClosed } of [peer, slow.peer]) {
    expect(isClosed).toBe(true);
    expect(received.map((message) => "method" in message && message.method)).toEqual(["initialize"]);
  }
});

test.each(legacyRevisions)(
  "a ping is answered at once with {}, by both sides and before the handshake, in %s (R-445)",
  async (revision) => {
    await using it = await openWire();
    expect(await it.ask(request(0, "ping"))).toEqual({ jsonrpc: "2.0", id: 0, result: {} });
    await it.ask(initialize(revision));
    expect(await it.ask(request("p", "ping"))).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
    await using other = await openServerWire(revision);
    await other.send({ id: 77, method: "ping" });
    expect(await other.next()).toEqual({ jsonrpc: "2.0", id: 77, result: {} });
  },
);

test("a ping overtakes requests that take long (R-445)", async () => {
  const waiting = deferred<string>();
  await using it = await converse(legacyRevision, (server) => {
    server.addTool({ name: "slow" }, () => waiting.promise);
  });
  await it.send("slow", "tools/call", { name: "slow" });
  expect(await it.call("ping")).toMatchObject({ result: {} });
  waiting.resolve("done");
  expect(await it.next()).toMatchObject({ id: "slow" });
});

test("what can go wrong with a handshake has an error of its own: version, capabilities, silence (R-171)", async () => {
  await using modernOnly = await openWire({ revisions: [modernRevision] });
  expect(await modernOnly.ask(initialize("1.0.0"))).toMatchObject({
    error: { code: -32_602, data: { supported: [modernRevision], requested: "1.0.0" } },
  });

  const foreign = connecting({ revisions: [legacyRevision] });
  foreign.peer.refuse(await foreign.peer.nextRequest(), {
    code: -32_602,
    message: "Unsupported protocol version",
    data: { supported: ["2030-01-01"], requested: legacyRevision },
  });
  await expect(foreign.session).rejects.toMatchObject({
    code: -32_602,
    data: { supported: ["2030-01-01"] },
  });

  const odd = connecting({ revisions: [legacyRevision], strictness: "strict" });
  odd.peer.answer(await odd.peer.nextRequest(), { protocolVersion: legacyRevision });
  await expect(odd.session).rejects.toMatchObject({ code: "INVALID_RESULT" });

  const clock = createVirtualClock();
  const silent = connecting({ revisions: [legacyRevision], clock, limits: { timeoutMs: 10 } });
  await silent.peer.nextRequest();
  clock.advance(10);
  await expect(silent.session).rejects.toMatchObject({ code: "TIMEOUT" });
});

test.each([
  ["-32020", { code: -32_020, message: "Header mismatch" }],
  ["-32021", { code: -32_021, message: "Missing capability", data: { requiredCapabilities: {} } }],
])(
  "%s in answer to the probe is evidence of the modern era: no handshake follows (R-223)",
  async (_, error) => {
    const { peer, session } = connecting();
    peer.refuse(await peer.nextRequest(), error);
    await expect(session).rejects.toMatchObject({ code: error.code });
    expect(peer.received).toHaveLength(1);
  },
);

test.each([
  [
    "-32601",
    (peer: ReturnType<typeof createScriptedPeer>, probe: Request) =>
      peer.refuse(probe, { code: -32_601, message: "no" }),
  ],
  [
    "a result that is none of the modern era",
    (peer: ReturnType<typeof createScriptedPeer>, probe: Request) => peer.answer(probe, { ok: true }),
  ],
] as const)("%s in answer to the probe is evidence of the legacy era (R-223)", async (_, answer) => {
  const { peer, session } = connecting();
  answer(peer, await peer.nextRequest());
  const opening = await peer.nextRequest();
  expect(opening.method).toBe("initialize");
  peer.answer(opening, handshake(legacyRevision));
  expect((await session).era).toBe("legacy");
  await (await session).close({ drainMs: 0 });
});

test("a lost connection proves nothing about the era: a client of the modern era alone is told of it (R-223)", async () => {
  const { peer, session } = connecting({ revisions: [modernRevision] });
  await peer.nextRequest();
  peer.fail(new Error("unplugged"));
  await expect(session).rejects.toMatchObject({ code: "CONNECTION_CLOSED", cause: { message: "unplugged" } });
});

test("after -32022 the client asks again in a revision that both speak, or says that there is none (R-192, R-213)", async () => {
  const again = connecting();
  again.peer.refuse(await again.peer.nextRequest(), {
    code: -32_022,
    message: "no",
    data: { supported: [modernRevision, "2031-01-01"], requested: modernRevision },
  });
  const second = await again.peer.nextRequest();
  expect(second).toMatchObject({
    method: "server/discover",
    params: { _meta: { [version]: modernRevision } },
  });
  again.peer.answer(second, {
    resultType: "complete",
    supportedVersions: [modernRevision],
    capabilities: {},
    ttlMs: 0,
    cacheScope: "private",
  });
  expect((await again.session).era).toBe("modern");
  await (await again.session).close({ drainMs: 0 });

  const none = connecting();
  none.peer.refuse(await none.peer.nextRequest(), {
    code: -32_022,
    message: "no",
    data: { supported: ["2031-01-01"], requested: modernRevision },
  });
  await expect(none.session).rejects.toMatchObject({
    code: "UNSUPPORTED_REVISION",
    message: expect.stringContaining("2031-01-01") as string,
  });
});

test.each(everyRevision)(
  "each capability is declared with what it stands for, in %s (R-196)",
  async (revision) => {
    const empty = new Server(info, { capabilities: { tools: false } });
    const full = new Server(info, { logging: true });
    full.addTool({ name: "t" }, () => "");
    full.addPrompt({ name: "p", arguments: [{ name: "a" }], complete: { a: ["x"] } }, () => "");
    full.addResource({ uri: "memo://1", name: "r" }, () => "");
    const declared = async (server: Server): Promise<string[]> => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      await using session = await new Client(info, { revisions: [revision] }).connect(here);
      return Object.keys(session.serverCapabilities).toSorted();
    };
    expect(await declared(empty)).toEqual([]);
    const completions = revision === "2024-11-05" ? [] : ["completions"];
    expect(await declared(full)).toEqual([...completions, "logging", "prompts", "resources", "tools"]);
  },
);

test.each(bothEras)(
  "a client gives the server's instructions as they are, and undefined if there are none, in %s (R-198)",
  async (revision) => {
    const instructions = "Search before you add.\nNever add twice.";
    await using told = await connectPair({ revision, server: { instructions } }, () => {});
    await using silent = await connectPair({ revision }, () => {});
    expect([told.session.instructions, silent.session.instructions]).toEqual([instructions, undefined]);
  },
);

test.each(everyRevision)(
  "every request of a client has a time limit, in %s (R-240, R-243)",
  async (revision) => {
    const clock = createVirtualClock();
    const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
    await using wire = await openServerWire(revision, { clock, limits: { timeoutMs: 100 } }, capabilities);
    const { session } = wire;
    const requests = [
      session.listTools(),
      session.callTool({ name: "t" }),
      session.listPrompts(),
      session.getPrompt({ name: "p" }),
      session.readResource({ uri: "memo://1" }),
      session.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
      session.ping(),
    ].map((sent) => sent.catch((error: unknown) => error));
    for (const _ of requests) {
      await wire.next();
    }
    clock.advance(100);
    for (const outcome of await Promise.all(requests)) {
      expect(outcome).toMatchObject({ code: "TIMEOUT" });
    }
    expect(session.isClosed).toBe(false);
  },
);

test.each(bothEras)(
  "an extension that one side alone has leaves the core working, and its own requests fail with a reason, in %s (R-199)",
  async (revision) => {
    const answers = resultOf(
      await (async () => {
        await using it = await converse(revision, (server) => {
          server.addTool({ name: "t" }, () => "core");
          server.addMethod(
            { kind: "request", method: "com.example/x", extension: "com.example/things" },
            () => ({}),
          );
        });
        const refused = await it.call("com.example/x");
        const called = await it.call("tools/call", { name: "t" });
        return { id: 0, result: { refused, called } };
      })(),
    );
    expect(answers["called"]).toMatchObject({ result: { content: [{ text: "core" }] } });
    expect(answers["refused"]).toMatchObject({
      error: eraOf(revision) === "modern" ? { code: -32_021 } : { code: -32_601 },
    });
  },
);

test.each(legacyRevisions)(
  "a server may ask in the moment in which it hears that the client is ready, in %s (R-165, R-603)",
  async (revision) => {
    const asked = deferred<unknown>();
    await using server = new Server({ name: "server", version: "1" });
    server.addReceivingMiddleware((next) => (request) => {
      if (request.method === "notifications/initialized") {
        request.session?.request("roots/list", {}).then(asked.resolve, asked.reject);
      }
      return next(request);
    });
    const roots = [{ uri: "file:///a" }];
    await using client = new Client({ name: "client", version: "1" }, { revisions: [revision], roots });
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    await client.connect(here);
    expect(await asked.promise).toEqual({ roots });
  },
);
