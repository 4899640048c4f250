import { undeliverable, wrapTransport, type Connection, type Message, type Outgoing } from "@tenon/jsonrpc2";
import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, isMcpError, Server, type KeepAliveOptions } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { initialize, modern, openWire, request } from "./wire.ts";

/** What asks a server whether it is there. */
const question = (revision: Revision): string => (eraOf(revision) === "legacy" ? "ping" : "server/discover");

/** A server that answers the opening, and from then on only when it is told to. */
interface Puppet {
  readonly connection: Connection;
  /** The next request it was asked. */
  asked(): Promise<{ readonly id: number; readonly method: string }>;
  answer(id: number, answer?: object): Promise<void>;
}

async function puppet(
  revision: Revision,
  keepAlive: KeepAliveOptions,
): Promise<{ clock: VirtualClock; puppet: Puppet; session: Awaited<ReturnType<Client["connect"]>> }> {
  const clock = createVirtualClock();
  const [here, there] = createInMemoryTransports();
  const connection = await there.connect();
  const own: Puppet = {
    connection,
    async asked() {
      for (;;) {
        const message = (await connection.read()) as Message;
        if ("method" in message && "id" in message) {
          return message as { id: number; method: string };
        }
      }
    },
    answer: (
      id,
      answer = {
        result: {
          resultType: "complete",
          ttlMs: 0,
          cacheScope: "private",
          supportedVersions: [revision],
          capabilities: {},
        },
      },
    ) => connection.write({ jsonrpc: "2.0", id, ...answer } as Outgoing),
  };
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { revisions: [revision], clock, keepAlive },
  );
  const opening = client.connect(here);
  const { id } = await own.asked();
  const result = {
    protocolVersion: revision,
    capabilities: {},
    serverInfo: { name: "puppet", version: "1" },
  };
  await own.answer(id, revision === legacyRevision ? { result } : undefined);
  return { clock, puppet: own, session: await opening };
}

/** Lets everything that is ready to run do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each(bothEras)(
  "a client asks at every interval and stays as long as there is an answer, an error or a bad one too, in %s (S-107, S-105, R-446, R-447)",
  async (revision) => {
    const { clock, puppet: server, session } = await puppet(revision, { intervalMs: 1000 });
    const answers = [undefined, { error: { code: -32603, message: "busy" } }, { result: null }, undefined];
    for (let round = 0; round < answers.length; round++) {
      clock.advance(1000);
      const { id, method } = await server.asked();
      expect(method).toBe(question(revision));
      await server.answer(id, answers[round]);
      await settle();
    }
    await session.close();
    expect(clock.timers).toBe(0);
    expect(await session.closed).toEqual({});
  },
);

test.each(bothEras)(
  "a client ends the session when a question stays without answer, and says why, in %s (S-108)",
  async (revision) => {
    const { clock, puppet: server, session } = await puppet(revision, { intervalMs: 1000, timeoutMs: 300 });
    clock.advance(1000);
    await server.asked();
    clock.advance(299);
    await settle();
    clock.advance(1);
    const { error } = await session.closed;
    expect(isMcpError(error, "KEEP_ALIVE_FAILED")).toBe(true);
    await expect(session.wait()).rejects.toBe(error);
    await expect(session.ping()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  },
);

test("a threshold of three lets two questions in a row go without answer, and counts anew after one", async () => {
  const {
    clock,
    puppet: server,
    session,
  } = await puppet(legacyRevision, { intervalMs: 1000, timeoutMs: 100, failureThreshold: 3 });
  let ended = false;
  void session.closed.then(() => (ended = true));
  const ask = async (answered: boolean): Promise<void> => {
    clock.advance(1000);
    const { id } = await server.asked();
    if (answered) {
      await server.answer(id, { result: {} });
    } else {
      clock.advance(100);
    }
    await settle();
  };
  for (const answered of [false, false, true, false, false]) {
    await ask(answered);
  }
  expect(ended).toBe(false);
  await ask(false);
  expect(ended).toBe(true);
});

test("a server asks legacy clients that are ready, and ends the session of one that is silent (S-107, S-108)", async () => {
  const clock = createVirtualClock();
  await using wire = await openWire({ clock, keepAlive: { intervalMs: 1000, timeoutMs: 500 } });
  await wire.ask(initialize(legacyRevision));
  clock.advance(5000);
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  await settle();
  clock.advance(1000);
  const asked = (await wire.next()) as { id: number; method: string };
  expect(asked.method).toBe("ping");
  await wire.tell({ jsonrpc: "2.0", id: asked.id, result: {} });
  await settle();
  const [session] = wire.server.sessions();
  clock.advance(1000);
  await settle();
  clock.advance(500);
  expect(await session?.closed).toMatchObject({ error: { code: "KEEP_ALIVE_FAILED" } });
});

test("a server sends no ping after an interval in which the client sent something, and does not close its session", async () => {
  const clock = createVirtualClock();
  await using wire = await openWire({ clock, keepAlive: { intervalMs: 1000 } });
  await wire.ask(initialize(legacyRevision));
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  await settle();
  for (let id = 1; id <= 5; id++) {
    // Whatever the next message is: a ping would come before the answer.
    expect(await wire.ask(request(id, "tools/list"))).toMatchObject({ id, result: {} });
    clock.advance(1000);
    await settle();
  }
  clock.advance(1000);
  await settle();
  expect(await wire.next()).toMatchObject({ method: "ping" });
});

test("an unanswered ping does not end a session whose client has sent something meanwhile", async () => {
  const clock = createVirtualClock();
  await using wire = await openWire({ clock, keepAlive: { intervalMs: 1000 } });
  await wire.ask(initialize(legacyRevision));
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  await settle();
  clock.advance(1000);
  await settle();
  expect(await wire.next()).toMatchObject({ method: "ping" });
  await wire.ask(request(1, "tools/list"));
  clock.advance(1000);
  await settle();
  expect([...wire.server.sessions()]).toHaveLength(1);
});

test("a server whose pings nobody can read does not take that for a silent client", async () => {
  const clock = createVirtualClock();
  const server = new Server({ name: "s", version: "1" }, { clock, keepAlive: { intervalMs: 1000 } });
  const [here, there] = createInMemoryTransports();
  let pings = 0;
  const deaf = wrapTransport(there, {
    onWrite: (message) => {
      if ("method" in message && message.method === "ping") {
        pings++;
        throw undeliverable("Nobody reads.");
      }
      return message;
    },
  });
  await server.connect(deaf);
  const connection = await here.connect();
  await connection.write(initialize(legacyRevision) as Outgoing);
  await connection.read();
  await connection.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  await settle();
  for (let round = 0; round < 5; round++) {
    clock.advance(1000);
    await settle();
  }
  expect(pings).toBe(5);
  expect([...server.sessions()]).toHaveLength(1);
  await connection.close();
});

test("a server asks modern clients nothing (R-121)", async () => {
  const clock = createVirtualClock();
  await using wire = await openWire({ clock, keepAlive: { intervalMs: 1000 } });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: modern } };
  await wire.ask(list);
  clock.advance(10_000);
  await settle();
  expect(await wire.ask({ ...list, id: 2 })).toMatchObject({ id: 2 });
});

test("an interval of Infinity asks nothing, and options that make no sense are refused (S-109)", async () => {
  const { clock, session } = await puppet(legacyRevision, { intervalMs: Infinity });
  expect(clock.timers).toBe(0);
  await session.close();
  for (const keepAlive of [
    { intervalMs: -1 },
    { intervalMs: 0 },
    { intervalMs: 1, failureThreshold: 0 },
    { intervalMs: 1, timeoutMs: Number.NaN },
    { intervalMs: 1, timeoutMs: 0 },
  ]) {
    expect(() => new Client({ name: "c", version: "1" }, { keepAlive })).toThrow(/keepAlive/);
    expect(() => new Server({ name: "s", version: "1" }, { keepAlive })).toThrow(/keepAlive/);
  }
});
