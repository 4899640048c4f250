import { compose, type ComposeOptions } from "@tenon/compose";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

const done = [{ type: "text", text: "done" }];

/** A composition of programs and a local server, for legacy clients over HTTP or in memory. */
interface Gateway {
  /** Connects a client with a principal. */
  connect(who: string): Promise<ClientSession>;
  connectInMemory(): Promise<ClientSession>;
  /** The clients whose sessions have ended, in that order. */
  readonly ended: readonly string[];
  /** How many calls of `wait` have begun. */
  readonly begun: () => number;
  /** Lets the calls of `wait` end. */
  readonly end: () => void;
}

function gateway(connections: ComposeOptions["connections"]): Gateway {
  const mayEnd = deferred();
  let begun = 0;
  const program = (name: string) => async (): Promise<Transport> => {
    const engine = createTaskEngine();
    onTestFinished(() => engine.close({ drainMs: 0 }));
    const server = new Server({ name: "program", version: "1.0.0" }, { revisions: [legacyRevision] });
    server.use(tasks({ engine }));
    server.addTool({ name: "plain" }, () => "done");
    server.addTool({ name: "work", task: "optional" }, () => "done");
    server.addTool({ name: "wait" }, async () => {
      begun++;
      await mayEnd.promise;
      return "done";
    });
    server.addResource({ uri: `note:${name}`, name }, () => "text");
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    return here;
  };
  const local = new Server({ name: "local", version: "1.0.0" });
  local.addTool({ name: "wait" }, async () => {
    begun++;
    await mayEnd.promise;
    return "done";
  });
  local.addResource({ uri: "note:local", name: "local" }, () => "text");
  const composed = compose({ a: program("a"), b: program("b"), local }, { connections, onError: () => {} });
  const ended: string[] = [];
  const handler = createStreamableHandler({
    getServer: () => composed,
    authenticate: ({ headers }) => ({ principal: headers.get("x-who") ?? "" }),
    sessions: {
      onSessionClosed: ({ principal }, reason) => {
        if (reason === "server") {
          ended.push(String(principal));
        }
      },
    },
    onError: () => {},
  });
  onTestFinished(async () => {
    mayEnd.resolve();
    await handler.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
  });
  const client = (): Client =>
    new Client({ name: "client", version: "1.0.0" }, { revisions: [legacyRevision] });
  const kept = (session: ClientSession): ClientSession => {
    onTestFinished(() => session.close({ drainMs: 0 }));
    return session;
  };
  return {
    ended,
    begun: () => begun,
    end: () => mayEnd.resolve(),
    async connect(who) {
      const transport = new StreamableClientTransport("http://localhost/mcp", {
        headers: { "x-who": who },
        fetch: async (url, init) => handler.fetch(new Request(url, init)),
      });
      return kept(await client().connect(transport));
    },
    async connectInMemory() {
      const [here, there] = createInMemoryTransports();
      await composed.connect(there);
      return kept(await client().connect(here));
    },
  };
}

async function call(session: ClientSession, name: string): Promise<unknown> {
  return session.callTool({ name }).then(
    ({ content }) => content,
    (error: unknown) => (error as Error).message,
  );
}

async function subscribe(session: ClientSession, name: string): Promise<void> {
  const { resources } = await session.listResources();
  const { uri } = resources.find((resource) => resource.name === name) ?? {};
  await session.request("resources/subscribe", { uri } as never);
}

const full = expect.stringContaining("(maxLanes)") as string;

test("a principal whose sessions have all connections to a server loses its oldest unused one to another principal", async () => {
  const { connect, ended } = gateway({ maxLanes: 3 });
  const anns = [await connect("ann"), await connect("ann"), await connect("ann")];
  for (const session of anns) {
    expect(await call(session, "mcp__a__plain")).toEqual(done);
  }
  const bob = await connect("bob");
  expect(await call(bob, "mcp__a__plain")).toEqual(done);
  expect(ended).toEqual(["ann"]);
  // The client initializes a new session, which has no more right to a connection than others.
  const [first, second, third] = anns as [ClientSession, ClientSession, ClientSession];
  expect(await call(first, "mcp__a__plain")).toEqual(full);
  for (const session of [second, third, bob]) {
    expect(await call(session, "mcp__a__plain")).toEqual(done);
  }
  expect(ended).toEqual(["ann"]);
});

test("a call waits while all sessions of a principal with all connections to a server are in use", async () => {
  const { connect, ended, begun, end } = gateway({ maxLanes: 2 });
  const anns = [await connect("ann"), await connect("ann")];
  const waiting = anns.map((session) => call(session, "mcp__a__wait"));
  await expect.poll(begun).toBe(2);
  const bob = call(await connect("bob"), "mcp__a__plain");
  end();
  expect(await bob).toEqual(done);
  expect(await Promise.all(waiting)).toEqual([done, done]);
  expect(ended).toEqual(["ann"]);
});

test("a call waits while all sessions of a principal with all connections are in use at another server", async () => {
  const { connect, ended, begun, end } = gateway({ maxLanes: 2 });
  const anns = [await connect("ann"), await connect("ann")];
  for (const session of anns) {
    expect(await call(session, "mcp__a__plain")).toEqual(done);
  }
  const waiting = anns.map((session) => call(session, "mcp__b__wait"));
  await expect.poll(begun).toBe(2);
  const other = await connect("bob");
  const bob = call(other, "mcp__a__plain");
  // Later requests arrive after the call waits.
  for (let count = 0; count < 5; count++) {
    await other.ping();
  }
  end();
  expect(await bob).toEqual(done);
  expect(await Promise.all(waiting)).toEqual([done, done]);
  expect(ended).toEqual(["ann"]);
});

test("a call does not wait longer than giveWayMs for sessions of another principal that expect tasks", async () => {
  const { connect, ended } = gateway({ maxLanes: 2, giveWayMs: 50 });
  for (const session of [await connect("ann"), await connect("ann")]) {
    expect(await call(session, "mcp__a__plain")).toEqual(done);
    await session.listTools();
    await session.request("tools/call", { name: "mcp__a__work", task: { ttl: 60_000 } } as never);
  }
  expect(await call(await connect("bob"), "mcp__a__plain")).toEqual(full);
  expect(ended).toEqual([]);
});

test("the session that has been unused for longest ends for another client, after idleMs", async () => {
  const { connect, ended } = gateway({ maxLanes: 2, idleMs: 0 });
  const [ann, bob] = [await connect("ann"), await connect("bob")];
  for (const session of [ann, bob, ann]) {
    expect(await call(session, "mcp__a__plain")).toEqual(done);
  }
  expect(await call(await connect("eve"), "mcp__a__plain")).toEqual(done);
  expect(ended).toEqual(["bob"]);
  const busy = gateway({ maxLanes: 1 });
  expect(await call(await busy.connect("ann"), "mcp__a__plain")).toEqual(done);
  expect(await call(await busy.connect("eve"), "mcp__a__plain")).toEqual(full);
  expect(busy.ended).toEqual([]);
});

test.each<[string, (ann: ClientSession) => Promise<unknown>]>([
  ["a running call at another server", async (ann) => void call(ann, "mcp__b__wait")],
  ["a running call at a server of this process", async (ann) => void call(ann, "mcp__local__wait")],
  ["a subscription", (ann) => subscribe(ann, "a")],
  ["a subscription at a server of this process", (ann) => subscribe(ann, "local")],
  ["a task", (ann) => ann.request("tools/call", { name: "mcp__a__work", task: { ttl: 60_000 } } as never)],
])("a session with %s does not end for another client", async (what, use) => {
  const { connect, ended, begun } = gateway({ maxLanes: 1, idleMs: 0 });
  const ann = await connect("ann");
  expect(await call(ann, "mcp__a__plain")).toEqual(done);
  await ann.listTools();
  await use(ann);
  await expect.poll(begun).toBe(what.includes("running") ? 1 : 0);
  expect(await call(await connect("eve"), "mcp__a__plain")).toEqual(full);
  expect(ended).toEqual([]);
});

test("a client that cannot be notified of the end of its session keeps its connection", async () => {
  const { connectInMemory } = gateway({ maxLanes: 1, idleMs: 0 });
  const ann = await connectInMemory();
  expect(await call(ann, "mcp__a__plain")).toEqual(done);
  expect(await call(await connectInMemory(), "mcp__a__plain")).toEqual(full);
  expect(await call(ann, "mcp__a__plain")).toEqual(done);
});
