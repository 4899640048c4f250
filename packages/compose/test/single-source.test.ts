import { connectedSource, proxyServer } from "@tenon/compose";
import { CallRelay } from "@tenon/host";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

function far(revision: (typeof bothEras)[number], ...tools: readonly string[]): Server {
  const server = new Server({ name: "far", version: "1.0.0" }, { revisions: [revision], onError: () => {} });
  tools.forEach((name) => server.addTool({ name }, () => "done"));
  return server;
}

test.each(
  bothEras.flatMap((back) =>
    bothEras.flatMap((front) => [true, false].map((streams) => [back, front, streams] as const)),
  ),
)(
  "the list of a single server of %s that was down is announced to a client of %s when it is back (streams: %s)",
  async (back, front, streams) => {
    const { url, kill, start } = await remote(far(back, "one"), { streams });
    const relay = new CallRelay();
    const source = connectedSource({
      relay,
      connect: async ({ options, prepare }) => {
        const client = new Client({ name: "proxy", version: "1.0.0" }, options);
        prepare(client);
        return client.connect(new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }));
      },
    });
    await source.start();
    const proxy = proxyServer(source, { relay, onError: () => {} });
    const [here, there] = createInMemoryTransports();
    await proxy.connect(there);
    let changed = deferred();
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [front], cache: false, onToolsChanged: () => changed.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await proxy.close({ drainMs: 0 });
      await source[Symbol.asyncDispose]();
      await relay.close();
    });
    expect((await session.listTools()).tools).toHaveLength(1);
    await kill();
    await expect(session.callTool({ name: "one" })).rejects.toMatchObject({ code: -32_603 });
    await changed.promise;
    changed = deferred();
    await expect(session.listTools()).rejects.toMatchObject({ code: -32_603 });
    await start(far(back, "one", "two"));
    for (let tools: readonly unknown[] = []; tools.length < 2;) {
      await changed.promise;
      changed = deferred();
      tools = await session.listTools().then(
        (result) => result.tools,
        () => [],
      );
    }
  },
);

test("a server that is back is connected although it refuses the first of its users", async () => {
  let refused: string | undefined;
  const { url, kill, start } = await remote(far(legacyRevision, "one"), {
    refuses: ({ headers }) => refused !== undefined && headers["x-connection"] === refused,
  });
  const relay = new CallRelay();
  let connections = 0;
  const source = connectedSource({
    relay,
    connect: async ({ options, prepare }) => {
      const headers = { "x-connection": `${++connections}` };
      const client = new Client({ name: "proxy", version: "1.0.0" }, options);
      prepare(client);
      return client.connect(
        new StreamableClientTransport(url, { headers, reconnect: { initialDelayMs: 20 } }),
      );
    },
  });
  const proxy = proxyServer(source, { relay, onError: () => {} });
  const down = deferred();
  const connect = async (): Promise<ClientSession> => {
    const [here, there] = createInMemoryTransports();
    await proxy.connect(there);
    const client = new Client(
      { name: "user", version: "1.0.0" },
      { revisions: [legacyRevision], cache: false, onToolsChanged: () => down.resolve() },
    );
    const session = await client.connect(here);
    await session.listTools();
    return session;
  };
  const [alice, bob] = [await connect(), await connect()];
  onTestFinished(async () => {
    await Promise.all([alice, bob].map((session) => session.close({ drainMs: 0 })));
    await proxy.close({ drainMs: 0 });
    await source[Symbol.asyncDispose]();
    await relay.close();
  });
  expect(connections).toBe(2);
  await kill();
  await expect(alice.callTool({ name: "one" })).rejects.toMatchObject({ code: -32_603 });
  await down.promise;
  refused = "1";
  await start(far(legacyRevision, "one"));
  await expect(alice.listTools()).rejects.toThrow("does not accept the credentials");
  expect((await bob.listTools()).tools).toHaveLength(1);
  await expect.poll(() => source.isConnected).toBe(true);
});

test("a server with a connection for each call gets one connection for a call", async () => {
  const relay = new CallRelay();
  const open = new Set<ClientSession>();
  let connections = 0;
  const source = connectedSource({
    relay,
    isolation: "call",
    limits: { idleMs: 1 },
    connect: async ({ options, prepare }) => {
      connections++;
      const [here, there] = createInMemoryTransports();
      await far(legacyRevision, "one").connect(there);
      const client = new Client({ name: "proxy", version: "1.0.0" }, options);
      prepare(client);
      const session = await client.connect(here);
      open.add(session);
      void session.closed.then(() => open.delete(session));
      return session;
    },
  });
  const proxy = proxyServer(source, { relay, onError: () => {} });
  const [here, there] = createInMemoryTransports();
  await proxy.connect(there);
  const client = new Client({ name: "user", version: "1.0.0" }, { revisions: [modernRevision] });
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await proxy.close({ drainMs: 0 });
    await source[Symbol.asyncDispose]();
    await relay.close();
  });
  await session.listTools();
  for (let calls = 1; calls <= 3; calls++) {
    await Promise.all([...open].map(({ closed }) => closed));
    const before = connections;
    await session.callTool({ name: "one" });
    expect(connections - before).toBe(1);
  }
});
