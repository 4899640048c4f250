import type { Clock } from "@tenon/base";
import { Peer, type Connection, type Message, type Transport } from "@tenon/jsonrpc2";
import { createVirtualClock, transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { deferred, inbox } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import {
  broadcastTransport,
  listenOnBroadcast,
  type BroadcastLimits,
  type BroadcastListener,
  type BroadcastListenerLimits,
} from "../src/index.ts";

let channels = 0;
const unusedName = (): string => `channel ${process.pid} ${channels++}`;

const note = (n: number): Message => ({ jsonrpc: "2.0", method: "m", params: { n } });

interface Listening {
  readonly name: string;
  readonly listener: BroadcastListener;
  readonly warnings: string[];
  readonly errors: unknown[];
  /** The next connection that was accepted. */
  accepted(): Promise<Connection>;
}

function listening(
  limits?: BroadcastListenerLimits,
  onConnection: (transport: Transport) => unknown = () => {},
  name = unusedName(),
): Listening {
  const connections = inbox<Connection>();
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const listener = listenOnBroadcast(name, {
    limits,
    async onConnection(transport) {
      await onConnection(transport);
      connections.put(await transport.connect());
    },
    onWarning: (message) => warnings.push(message),
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => listener.close());
  return { name, listener, warnings, errors, accepted: () => connections.take() };
}

/** A program on the channel that is neither the client nor the server. */
function stranger(name: string): {
  readonly seen: unknown[];
  post(message: unknown): void;
  next(): Promise<unknown>;
} {
  const channel = new BroadcastChannel(name);
  const seen: unknown[] = [];
  const waiting = inbox<unknown>();
  channel.addEventListener("message", (event) => {
    const { data } = event as unknown as { data: unknown };
    seen.push(data);
    waiting.put(data);
  });
  onTestFinished(() => channel.close());
  return { seen, post: (message) => channel.postMessage(message), next: () => waiting.take() };
}

type Posted = {
  readonly "dev.tenon/broadcast": { kind: string; from: string; to: string; lock: string; frame?: unknown };
};

async function pair(): Promise<ConnectedPair> {
  const name = unusedName();
  const right = deferred<Connection>();
  const listener = listenOnBroadcast(name, {
    onConnection: async (transport) => right.resolve(await transport.connect()),
  });
  return {
    left: await broadcastTransport(name).connect(),
    right: await right.promise,
    release: () => listener.close(),
  };
}

transportConformance({ test }, pair, {
  checkTimeoutMs: 300_000,
  async connect(options) {
    const name = unusedName();
    const listener = listenOnBroadcast(name, { onConnection: (transport) => transport.connect() });
    try {
      const connection = await broadcastTransport(name).connect(options);
      const close = connection.close.bind(connection);
      return Object.assign(connection, {
        async close() {
          await close();
          await listener.close();
        },
      });
    } catch (error) {
      await listener.close();
      throw error;
    }
  },
  countResources: () => process.getActiveResourcesInfo().filter((name) => name.includes("Port")).length,
});

test("many clients of one server get each its own responses", async () => {
  const name = unusedName();
  await using _listener = listenOnBroadcast(name, {
    onConnection: async (transport) =>
      new Peer(await transport.connect(), { handler: ({ params }) => params }),
  });
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => new Peer(await broadcastTransport(name).connect())),
  );
  const calls = clients.flatMap((client, n) =>
    Array.from({ length: 20 }, (_, m) => client.call("echo", { n, m })),
  );
  expect(await Promise.all(calls)).toEqual(
    clients.flatMap((_, n) => Array.from({ length: 20 }, (__, m) => ({ n, m }))),
  );
  await Promise.all(clients.map((client) => client.close()));
});

test("a client that calls before any server listens is accepted by the first that does", async () => {
  const name = unusedName();
  const connecting = broadcastTransport(name).connect();
  await new Promise(setImmediate);
  const { accepted } = listening({}, undefined, name);
  const [client, server] = await Promise.all([connecting, accepted()]);
  await client.write(note(1));
  expect(await server.read()).toEqual(note(1));
  await client.close();
  expect(await server.read()).toBeUndefined();
});

test("of several servers one gets the connection, and the others end theirs", async () => {
  const name = unusedName();
  const servers = [listening({}, undefined, name), listening({}, undefined, name)] as const;
  const client = await broadcastTransport(name).connect();
  const ends = await Promise.all(servers.map(({ accepted }) => accepted()));
  await client.write(note(1));
  const read = await Promise.all(ends.map((end) => end.read()));
  expect(read).toContainEqual(note(1));
  expect(read).toContain(undefined);
  expect(servers.map(({ listener }) => listener.connections).toSorted((a, b) => a - b)).toEqual([0, 1]);
  await client.close();
});

test("connect rejects with TIMEOUT if no server responds", async () => {
  const clock = createVirtualClock();
  const connecting = broadcastTransport("nobody", { clock, limits: { connectTimeoutMs: 5000 } }).connect();
  const outcome = expect(connecting).rejects.toMatchObject({
    code: "TIMEOUT",
    message: 'No server on channel "nobody" responded within 5000 ms (connectTimeoutMs).',
  });
  await new Promise(setImmediate);
  clock.advance(5000);
  await outcome;
});

test("an attempt that is given up leaves no connection behind", async () => {
  const { name, listener, accepted } = listening();
  // Gives up right after the call, before the server can respond.
  const clock: Clock = { ...createVirtualClock(), setTimeout: (giveUp) => queueMicrotask(giveUp) };
  await expect(broadcastTransport(name, { clock }).connect()).rejects.toMatchObject({ code: "TIMEOUT" });
  const connection = await accepted();
  expect(await connection.read()).toBeUndefined();
  expect(listener.connections).toBe(0);
});

test("an abort ends the attempt with its reason", async () => {
  const abort = new AbortController();
  const connecting = broadcastTransport(unusedName()).connect({ signal: abort.signal });
  const reason = new Error("enough");
  abort.abort(reason);
  await expect(connecting).rejects.toBe(reason);
});

test("more than maxConnections clients are refused at once, and a place that becomes free is used", async () => {
  const { name, accepted, listener } = listening({ maxConnections: 1 });
  const first = await broadcastTransport(name).connect();
  const ended = (await accepted()).read();
  await expect(broadcastTransport(name).connect()).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
    message: expect.stringContaining("(maxConnections)"),
  });
  await first.close();
  expect(await ended).toBeUndefined();
  const second = await broadcastTransport(name).connect();
  expect(listener.connections).toBe(1);
  await second.close();
});

test("messages of strangers reach no connection, whatever ids they name", async () => {
  const name = unusedName();
  const { post, seen } = stranger(name);
  const { accepted, warnings } = listening({}, undefined, name);
  const warned: string[] = [];
  const client = await broadcastTransport(name, { onWarning: (message) => warned.push(message) }).connect();
  const server = await accepted();
  await client.write(note(1));
  expect(await server.read()).toEqual(note(1));
  const { from, to } =
    (seen as Posted[]).map((posted) => posted["dev.tenon/broadcast"]).find(({ kind }) => kind === "frame") ??
    expect.fail("no frame");
  for (const envelope of [
    { from: "stranger", to },
    { from: "stranger", to: from },
    { from: to, to },
    { from, to: from },
    { from, to: "" },
    { from: to, to: "" },
    { from, to: "nobody" },
  ]) {
    post({ "dev.tenon/broadcast": { kind: "frame", lock: "", frame: note(666), ...envelope } });
  }
  post(note(667));
  post({ "dev.tenon/broadcast": { kind: "frame", from, to, frame: note(668) } });
  post({ "dev.tenon/broadcast": { kind: "frame", from: "x".repeat(1e6), to, lock: "", frame: note(669) } });
  post({ "dev.tenon/broadcast": { kind: "accept", from: "another", to: from, lock: "" } });
  await client.write(note(2));
  await server.write(note(3));
  expect(await server.read()).toEqual(note(2));
  expect(await client.read()).toEqual(note(3));
  expect(warnings).toContain(
    "Dropped a message that is not from the client of its connection. 1 dropped so far.",
  );
  expect(warned).toContain(
    "Dropped a message that is not from the server of its connection. 1 dropped so far.",
  );
  await client.close();
});

test("a client that calls twice has one connection", async () => {
  const { name, listener, accepted } = listening();
  const { post, next } = stranger(name);
  const call = { "dev.tenon/broadcast": { kind: "call", from: "me", to: "", lock: "" } };
  post(call);
  post(call);
  await accepted();
  await next();
  expect(listener.connections).toBe(1);
});

test("what onConnection throws is reported, and closes the connection", async () => {
  const { name, errors, listener } = listening({}, () => {
    throw new Error("not today");
  });
  const client = await broadcastTransport(name).connect();
  expect(await client.read()).toBeUndefined();
  expect(errors).toEqual([new Error("not today")]);
  expect(listener.connections).toBe(0);
});

test("a listener that closes ends its connections, and accepts no others", async () => {
  const { name, listener } = listening();
  const client = await broadcastTransport(name).connect();
  await listener.close();
  expect(await client.read()).toBeUndefined();
  await listener.close();
  const clock = createVirtualClock();
  const outcome = expect(broadcastTransport(name, { clock }).connect()).rejects.toMatchObject({
    code: "TIMEOUT",
  });
  await new Promise(setImmediate);
  clock.advance(10_000);
  await outcome;
});

test("a connection of a listener connects once", async () => {
  let transport: Transport | undefined;
  const { name } = listening({}, (offered) => {
    transport = offered;
  });
  const client = await broadcastTransport(name).connect();
  await new Promise(setImmediate);
  await expect(transport?.connect()).rejects.toMatchObject({ code: "INVALID_STATE" });
  await client.close();
});

test.each<[string, () => unknown, string]>([
  // @ts-expect-error: No callback.
  ["a listener without onConnection", () => listenOnBroadcast("x", {}), "requires onConnection"],
  [
    "a limit that is not known",
    // @ts-expect-error: Misspelt.
    () => broadcastTransport("x", { limits: { connectTimeout: 1 } satisfies BroadcastLimits }),
    "Did you mean connectTimeoutMs?",
  ],
  [
    "a limit out of range",
    () => listenOnBroadcast("x", { onConnection: () => {}, limits: { maxConnections: 0 } }),
    "limits.maxConnections must be",
  ],
])("%s is refused", (_, run, message) => {
  expect(run).toThrow(message);
});
