import { encode, isLocalError, isRpcError, type Connection, type Outgoing } from "@tenon/jsonrpc2";
import { createScriptedPeer } from "@tenon/jsonrpc2/testing";
import { Client, Server, text, type ClientSession, type ServerSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

function createServer(): Server {
  const server = new Server({ name: "server", version: "1.2.3", title: "A server" });
  server.addTool({ name: "hello" }, () => text("hello"));
  return server;
}

async function connect(
  server: Server,
  client: Client,
): Promise<{ session: ClientSession; serverSession: ServerSession }> {
  const [here, there] = createInMemoryTransports();
  const serverSession = await server.connect(there);
  return { session: await client.connect(here), serverSession };
}

const clientOf = (revision: Revision): Client =>
  new Client({ name: "client", version: "3.2.1" }, { revisions: [revision] });

test.each(bothEras)(
  "one server and one client have several sessions at a time, each of its own, in %s (S-055, S-058, S-059, S-060, R-148)",
  async (revision) => {
    const server = createServer();
    const client = clientOf(revision);
    const pairs = [await connect(server, client), await connect(server, client)];
    expect([...server.sessions()]).toEqual(pairs.map(({ serverSession }) => serverSession));
    expect([...client.sessions()]).toEqual(pairs.map(({ session }) => session));
    for (const { session, serverSession } of pairs) {
      expect(session.client).toBe(client);
      expect(serverSession.server).toBe(server);
      expect(await session.callTool({ name: "hello" })).toMatchObject({ content: [text("hello")] });
    }
    for (const session of client.sessions()) {
      await session.close();
    }
    await Promise.all(pairs.map(({ serverSession }) => serverSession.closed));
    expect([[...server.sessions()], [...client.sessions()]]).toEqual([[], []]);
  },
);

test.each(bothEras)(
  "each side knows who the other says it is, in %s (S-056, S-057, S-218, R-138, R-140, R-164)",
  async (revision) => {
    const server = createServer();
    let seen: unknown;
    server.addTool({ name: "who" }, (_, { client }) => {
      seen = client.info;
    });
    const { session } = await connect(server, clientOf(revision));
    expect(session.serverInfo).toEqual({ name: "server", version: "1.2.3", title: "A server" });
    expect(session.serverCapabilities).toMatchObject({ tools: {} });
    await session.callTool({ name: "who" });
    expect(seen).toEqual({ name: "client", version: "3.2.1" });
  },
);

test.each(bothEras)(
  "closing a session twice does no harm, ends the other side, and rejects what comes after, in %s (S-061, S-062, S-223)",
  async (revision) => {
    const { session, serverSession } = await connect(createServer(), clientOf(revision));
    const waiting = serverSession.wait();
    await Promise.all([session.close(), session.close()]);
    await session.close();
    await waiting;
    expect(await session.closed).toEqual({});
    await expect(session.listTools()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  },
);

test("run serves one session until the client leaves, or until its signal fires (S-063)", async () => {
  for (const end of ["client", "signal"] as const) {
    const server = createServer();
    const [here, there] = createInMemoryTransports();
    const controller = new AbortController();
    const running = server.run(there, { signal: controller.signal });
    const session = await clientOf(modernRevision).connect(here);
    expect(await session.callTool({ name: "hello" })).toMatchObject({ content: [{ text: "hello" }] });
    if (end === "client") {
      await session.close();
    } else {
      controller.abort();
    }
    await running;
    await session.closed;
    expect([...server.sessions()]).toEqual([]);
  }
});

test.each(bothEras)(
  "a tool that is added, called, removed and called again, in %s (S-123, S-131, S-091, S-143, S-134)",
  async (revision) => {
    const server = createServer();
    const { session } = await connect(server, clientOf(revision));
    let runs = 0;
    server.addTool(
      {
        name: "twice",
        description: "Doubles",
        annotations: { readOnlyHint: true },
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      },
      ({ n }) => {
        runs++;
        return String(2 * n);
      },
    );
    const listed = (await session.listTools()).tools.find(({ name }) => name === "twice");
    expect(Object.keys(listed ?? {}).toSorted()).toEqual([
      "annotations",
      "description",
      "inputSchema",
      "name",
    ]);
    expect(await session.callTool({ name: "twice", arguments: { n: 2 } })).toMatchObject({
      content: [{ text: "4" }],
    });
    expect(await session.callTool({ name: "twice", arguments: { n: "2" } })).toMatchObject({ isError: true });
    expect(runs).toBe(1);
    server.removeTools("twice", "unknown");
    const gone: unknown = await session
      .callTool({ name: "twice", arguments: { n: 2 } })
      .catch((error: unknown) => error);
    expect(isRpcError(gone) && gone.code).toBe(-32602);
  },
);

test("adding a tool tells every legacy session (S-064, R-463)", async () => {
  const server = new Server({ name: "server", version: "1.0.0" }, { limits: { listChangedDelayMs: 0 } });
  server.addTool({ name: "first" }, () => "");
  const told: Promise<void>[] = [];
  for (let count = 0; count < 2; count++) {
    let tell: () => void = () => {};
    told.push(new Promise((resolve) => (tell = resolve)));
    const client = clientOf(legacyRevision);
    client.addReceivingMiddleware((next) => (request) => {
      if (request.method === "notifications/tools/list_changed") {
        tell();
      }
      return next(request);
    });
    await connect(server, client);
  }
  server.addTool({ name: "second" }, () => "");
  await Promise.all(told);
  expect([...server.sessions()]).toHaveLength(2);
});

test("there is one way to offer a tool, no tools of a single session, and no sending on the server itself (S-066, S-067, S-146)", async () => {
  const members = (prototype: object): string[] => Object.getOwnPropertyNames(prototype);
  expect(members(Server.prototype).filter((name) => /^(add|set|remove).*tool/i.test(name))).toEqual([
    "addTool",
    "removeTools",
  ]);
  expect(members(Server.prototype).filter((name) => /^(notify|request|call|send)/.test(name))).toEqual([]);
  const session = await createServer().connect(createInMemoryTransports()[1]);
  const prototype = Object.getPrototypeOf(session) as object;
  expect(members(prototype)).toContain("notify");
  expect(members(prototype).filter((name) => /tool/i.test(name))).toEqual([]);
});

test.each(bothEras)(
  "wait rejects with what broke the connection, or when its own signal fires, in %s (S-062)",
  async (revision) => {
    const broken = new Error("unplugged");
    let fail: (error: unknown) => void = () => {};
    const failing = new Promise<never>((_, reject) => {
      fail = reject;
    });
    failing.catch(() => {});
    const [here, there] = createInMemoryTransports();
    await createServer().connect(there);
    const inner = await here.connect();
    const connection: Connection = { ...inner, read: () => Promise.race([inner.read(), failing]) };
    const session = await clientOf(revision).connect({ connect: async () => connection });
    await expect(session.wait({ signal: AbortSignal.abort(new Error("impatient")) })).rejects.toThrow(
      "impatient",
    );
    const waiting = session.wait();
    fail(broken);
    await expect(waiting).rejects.toBe(broken);
    expect(await session.closed).toEqual({ error: broken });
    expect(session.isClosed).toBe(true);
  },
);

test.each([undefined, ...bothEras])(
  "closing a client ends what it is still connecting, at whatever point that is (%s)",
  async (revision) => {
    for (let turns = 0; turns < 25; turns++) {
      const server = createServer();
      const client = new Client({ name: "c", version: "1" }, revision && { revisions: [revision] });
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      let session: ClientSession | undefined;
      const connecting = client.connect(here).then(
        (opened) => {
          session = opened;
        },
        (error: unknown) => error,
      );
      for (let turn = 0; turn < turns; turn++) {
        await Promise.resolve();
      }
      await client.close();
      const outcome = await connecting;
      const ended = session === undefined ? isLocalError(outcome, "CONNECTION_CLOSED") : session.isClosed;
      expect([turns, ended]).toEqual([turns, true]);
      expect([...client.sessions()]).toEqual([]);
      await server.close();
    }
  },
);

test("closing a client ends a connect whose server says nothing, and nothing else of its transport stays open", async () => {
  const client = new Client({ name: "c", version: "1" });
  const peer = createScriptedPeer();
  const connecting = client.connect({ connect: async () => peer.connection });
  await peer.nextRequest();
  await client.close();
  await expect(connecting).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(peer.isClosed).toBe(true);
});

test("a server that is closed while it connects has no session afterwards", async () => {
  const server = createServer();
  const peer = createScriptedPeer();
  const opened = deferred<Connection>();
  const connecting = server.connect({ connect: () => opened.promise });
  await server.close();
  opened.resolve(peer.connection);
  await expect(connecting).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect([...server.sessions(), peer.isClosed]).toEqual([true]);
});

test.each(bothEras)(
  "a server that is closed again gives running handlers no more than the shorter time, in %s",
  async (revision) => {
    const server = createServer();
    const entered = deferred();
    server.addTool({ name: "endless" }, () => {
      entered.resolve();
      return new Promise<string>(() => {});
    });
    const { session } = await connect(server, clientOf(revision));
    const failed = session.callTool({ name: "endless" }).catch((error: unknown) => error);
    await entered.promise;
    const slowly = server.close({ drainMs: Infinity });
    await server.close({ drainMs: 0 });
    await slowly;
    expect(isLocalError(await failed, "CONNECTION_CLOSED")).toBe(true);
  },
);

test("before the client is ready a server asks it nothing but whether it is there (R-167)", async () => {
  const server = new Server({ name: "server", version: "1" });
  const [here, there] = createInMemoryTransports();
  await using session = await server.connect(there);
  await using client = await here.connect();
  const next = async (): Promise<unknown> => JSON.parse(encode((await client.read()) as Outgoing));
  const clientInfo = { name: "slow", version: "1" };
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const params = { protocolVersion: legacyRevision, capabilities, clientInfo };
  await client.write({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  await next();

  const refused = { code: "NOT_READY" };
  const messages = [{ role: "user", content: { type: "text", text: "?" } }] as const;
  await expect(
    session.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } }),
  ).rejects.toMatchObject(refused);
  await expect(session.createMessage({ messages: [...messages], maxTokens: 1 })).rejects.toMatchObject(
    refused,
  );
  await expect(session.listRoots()).rejects.toMatchObject(refused);
  const pinging = session.request("ping");
  const ping = await next();
  expect(ping).toMatchObject({ method: "ping" });
  await client.write({ jsonrpc: "2.0", id: (ping as { id: number }).id, result: {} });
  await pinging;

  await client.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  await client.write({ jsonrpc: "2.0", id: 2, method: "ping" });
  await next();
  const asked = session.listRoots();
  const question = await next();
  expect(question).toMatchObject({ method: "roots/list" });
  await client.write({ jsonrpc: "2.0", id: (question as { id: number }).id, result: { roots: [] } });
  expect(await asked).toEqual([]);
});
