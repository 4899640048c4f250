import { compose } from "@tenon/compose";
import { Client, Server, type ClientSession, type ServerSession } from "@tenon/mcp";
import { bothEras, deferred, legacyRevision as legacy, modernRevision as modern } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

type Era = (typeof bothEras)[number];

const info = { name: "far", version: "1.0.0" };

/** A server with a tool whose calls run until they are told to end, and its checks. */
function slow(revision: Era): {
  readonly server: Server;
  readonly started: Promise<void>;
  end(): void;
  readonly checked: () => Promise<void>;
} {
  const server = new Server(info, { revisions: [revision], onError: () => {} });
  const [started, ended] = [deferred(), deferred()];
  let check = deferred();
  server.addTool({ name: "one" }, () => "done");
  server.addTool({ name: "long" }, async () => {
    started.resolve();
    await ended.promise;
    return "done";
  });
  server.addReceivingMiddleware((next) => (request) => {
    if (["ping", "server/discover"].includes(request.method)) {
      check.resolve();
    }
    return next(request);
  });
  const checked = (): Promise<void> => {
    check = deferred();
    return check.promise;
  };
  return { server, started: started.promise, end: () => ended.resolve(), checked };
}

/** Clients of one composition, and what each was told. */
function clientsOf(composed: Server, revision: Era): () => Promise<[ClientSession, string[]]> {
  const sessions: ClientSession[] = [];
  onTestFinished(async () => {
    await Promise.all(sessions.map((session) => session.close({ drainMs: 0 })));
    await composed.close({ drainMs: 0 });
  });
  return async () => {
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const told: string[] = [];
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      {
        revisions: [revision],
        cache: false,
        onToolsChanged: () => void told.push("tools"),
        onPromptsChanged: () => void told.push("prompts"),
      },
    );
    const session = await client.connect(here);
    sessions.push(session);
    await session.listTools();
    return [session, told];
  };
}

const limits = { changeIntervalMs: 0 };
const pairs = bothEras.flatMap((back) => bothEras.map((front) => [back, front] as const));

test.each(pairs)(
  "calls to a server of %s that fail end no call of another user of %s, and nobody reads lists again",
  async (back, front) => {
    const { server, started, end, checked } = slow(back);
    const { url, fail } = await remote(server);
    const composed = compose(
      { far: () => new StreamableClientTransport(url) },
      { limits, onError: () => {} },
    );
    const connect = clientsOf(composed, front);
    const [[alice, told], [bob, toldBob]] = [await connect(), await connect()];
    const long = alice.callTool({ name: "mcp__far__long" });
    await started;
    const isChecked = checked();
    for (const status of [503, 500, 501]) {
      fail(status);
      await expect(bob.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
      await isChecked;
    }
    // The second is behind the first on the connection, so what a check changes has been told.
    await bob.callTool({ name: "mcp__far__one" });
    await bob.callTool({ name: "mcp__far__one" });
    end();
    await expect(long).resolves.toMatchObject({ content: [{ text: "done" }] });
    expect([...told, ...toldBob]).toEqual([]);
  },
);

test.each(bothEras)(
  "a connection that does not respond is replaced, and ends after the last call of a user of %s",
  async (front) => {
    const { server, started, end } = slow(modern);
    const { url, fail } = await remote(server);
    const replaced = deferred();
    const sessions: ClientSession[] = [];
    const composed = compose(
      {
        far: {
          async open({ options, prepare }) {
            const client = new Client({ name: "proxy", version: "1.0.0" }, options);
            prepare(client);
            const session = await client.connect(new StreamableClientTransport(url));
            if (sessions.push(session) > 1) {
              replaced.resolve();
            }
            return session;
          },
        },
      },
      { limits, onError: () => {} },
    );
    const connect = clientsOf(composed, front);
    const [[alice], [bob]] = [await connect(), await connect()];
    const long = alice.callTool({ name: "mcp__far__long" });
    await started;
    // The call, and the check.
    fail(503, 503);
    await expect(bob.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
    await replaced.promise;
    await bob.callTool({ name: "mcp__far__one" });
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    end();
    await expect(long).resolves.toMatchObject({ content: [{ text: "done" }] });
    await sessions[0]?.closed;
    expect(sessions).toHaveLength(2);
  },
);

test.each(pairs)(
  "a dead server of %s without prompts is announced once, however often a user of %s lists",
  async (back, front) => {
    const { server } = slow(back);
    const { url, kill } = await remote(server);
    const own = new Server({ name: "own", version: "1.0.0" });
    own.addTool({ name: "fine" }, () => "fine");
    own.addPrompt({ name: "hello" }, () => "hello");
    const composed = compose(
      { far: () => new StreamableClientTransport(url), own },
      { limits, onError: () => {} },
    );
    const connect = clientsOf(composed, front);
    const [[bob, told], [, toldAlice]] = [await connect(), await connect()];
    await kill();
    await expect(bob.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
    await expect.poll(() => Math.min(told.length, toldAlice.length)).toBeGreaterThan(0);
    told.length = 0;
    for (let round = 0; round < 10; round++) {
      expect((await bob.listPrompts()).prompts).toHaveLength(1);
      expect((await bob.listTools()).tools).toHaveLength(1);
    }
    // A stream of the server that is interrupted may be noticed only now.
    expect(told.length).toBeLessThan(3);
    expect([...told, ...toldAlice]).not.toContain("prompts");
  },
);

// The subscription of a modern server, which begins again at its own pace, would be announced too.
test.each(bothEras)(
  "a list that failed while a legacy server was down is announced when it is back, and not again (user of %s)",
  async (front) => {
    const { url, kill, start, fail } = await remote(slow(legacy).server);
    const composed = compose(
      { far: () => new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }) },
      { limits, onError: () => {} },
    );
    const [bob, told] = await clientsOf(composed, front)();
    await kill();
    await expect(bob.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
    await expect.poll(() => told.length).toBeGreaterThan(0);
    expect((await bob.listTools()).tools).toEqual([]);
    const restarted = slow(legacy);
    await start(restarted.server);
    await expect.poll(() => told).toContain("prompts");
    expect((await bob.listTools()).tools).toHaveLength(2);
    told.length = 0;
    const isChecked = restarted.checked();
    fail(503);
    await expect(bob.callTool({ name: "mcp__far__one" })).rejects.toMatchObject({ code: -32_603 });
    await isChecked;
    await bob.callTool({ name: "mcp__far__one" });
    await bob.callTool({ name: "mcp__far__one" });
    expect(told).toEqual([]);
  },
);

test.each(bothEras)(
  "a program that ends in a call of one user of %s is announced to this user alone",
  async (front) => {
    const { server, checked } = slow(legacy);
    server.addTool({ name: "crash" }, (_, { session }) => session?.close({ drainMs: 0 }).then(() => "late"));
    const composed = compose(
      {
        far: async () => {
          const [here, there] = createInMemoryTransports();
          await server.connect(there);
          return here;
        },
      },
      { limits, onError: () => {} },
    );
    const connect = clientsOf(composed, front);
    const [[alice, told], [bob, toldBob]] = [await connect(), await connect()];
    await bob.callTool({ name: "mcp__far__one" });
    const isChecked = checked();
    await expect(alice.callTool({ name: "mcp__far__crash" })).rejects.toMatchObject({ code: -32_603 });
    await isChecked;
    await expect.poll(() => told).toEqual(["tools"]);
    await bob.callTool({ name: "mcp__far__one" });
    expect(toldBob).toEqual([]);
  },
);

test("a server that is down is not announced while another attempt to connect to it runs", async () => {
  const pending = deferred();
  let attempts = 0;
  const composed = compose(
    {
      far: async () => {
        if (++attempts > 1) {
          await pending.promise;
        }
        throw new Error("refused");
      },
    },
    { limits: { ...limits, listTimeoutMs: 1 }, onError: () => {} },
  );
  const [session, told] = await clientsOf(composed, modern)();
  const list = async (): Promise<number> => {
    await session.listTools();
    return attempts;
  };
  await expect.poll(list).toBe(2);
  await expect.poll(() => attempts + told.length).toBeGreaterThan(2);
  expect(told).toEqual([]);
  pending.resolve();
});

test("a connection that opens after the composition was closed is ended", async () => {
  const [opening, opened] = [deferred(), deferred()];
  const sessions: ServerSession[] = [];
  let attempts = 0;
  const composed = compose(
    {
      far: async () => {
        if (++attempts === 2) {
          throw new Error("refused");
        }
        if (attempts === 3) {
          opening.resolve();
          await opened.promise;
        }
        const [here, there] = createInMemoryTransports();
        sessions.push(await slow(modern).server.connect(there));
        return here;
      },
    },
    { onError: () => {} },
  );
  const [session] = await clientsOf(composed, modern)();
  await sessions[0]?.close({ drainMs: 0 });
  expect((await session.listTools()).tools).toEqual([]);
  await opening.promise;
  await composed.close({ drainMs: 0 });
  opened.resolve();
  await expect.poll(() => sessions.length).toBe(2);
  await sessions[1]?.closed;
});
