import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { CallRelay, type Lane } from "@tenon/host";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test, vi } from "vitest";

import { localServer, rewired, turns, until } from "./fixture.ts";
import { proxied } from "./lanes-fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

const local = localServer(undefined, { server: { revisions: [legacyRevision] } });
const { spec } = local;

test("connections to a legacy server that broke are forgotten while their legacy client stays", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ended: WeakRef<Lane>[] = [];
  const { front, connections } = await proxied(
    { back: legacyRevision, onEnd: (lane) => void ended.push(new WeakRef(lane)) },
    { crash: ({ session }) => session?.close({ drainMs: 0 }) },
  );
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  await using session = await client.connect(here);
  for (let round = 1; round <= 10; round++) {
    await expect(session.callTool({ name: "crash" })).rejects.toMatchObject({ code: -32_603 });
    await expect.poll(() => ended.length).toBe(round);
  }
  expect(connections.count).toBe(10);
  // The last one may still be referred to by the stack.
  await expect
    .poll(() => {
      collect();
      return ended.filter((lane) => lane.deref() !== undefined).length;
    })
    .toBeLessThan(3);
});

test("connections that were closed, or did not open, leave no timer", async () => {
  const lanes = openLanes(spec);
  const failing = openLanes(spec, { connect: () => Promise.reject(new Error("refused")) });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { release } = await lanes.acquire(modernCaller("ann"), forever, undefined);
  await lanes.close();
  release();
  for (let attempt = 0; attempt < 5; attempt++) {
    const lease = failing.acquire(modernCaller("ann"), forever, undefined);
    await expect(lease).rejects.toMatchObject({ data: { delivered: "no" } });
  }
  expect(vi.getTimerCount()).toBe(0);
});

test("a late request of a legacy session that has ended opens no connection", async () => {
  const lanes = openLanes(spec);
  const front = new Server({ name: "front", version: "1.0.0" }, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  const session = await front.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  await client.connect(here);
  const caller = new CallRelay().callerOfSession(session);
  await lanes.view(caller, forever);
  const { connects } = local;
  await session.close();
  await expect.poll(() => lanes.size).toBe(0);
  await expect(lanes.view(caller, forever)).rejects.toMatchObject({ data: { delivered: "no" } });
  expect([lanes.size, local.connects - connects]).toEqual([0, 0]);
});

test("requests of many legacy sessions that arrive before a modern server is connected to leave one connection", async () => {
  const modern = localServer();
  const lanes = openLanes(modern.spec);
  const front = new Server({ name: "front", version: "1.0.0" }, { onError: () => {} });
  const relay = new CallRelay();
  const callers = await Promise.all(
    ["ann", "bob", "cid"].map(async (name) => {
      const [here, there] = createInMemoryTransports();
      const session = await front.connect(there);
      await new Client({ name, version: "1.0.0" }, { revisions: [legacyRevision] }).connect(here);
      return relay.callerOfSession(session);
    }),
  );
  const names = await Promise.all(
    callers.map((caller) =>
      lanes.use(caller, forever, async ({ session }) => (await session.listTools()).tools[0]?.name),
    ),
  );
  expect(names).toEqual(["echo", "echo", "echo"]);
  expect(lanes.size).toBe(1);
  await expect.poll(() => [...modern.server.sessions()].length).toBe(1);
  await front.close({ drainMs: 0 });
});

test("close waits for connections that are being opened, so that no process is left", async () => {
  const mayRespond = deferred();
  const opened = deferred();
  const events: string[] = [];
  const slow = rewired(spec, (inner) => {
    opened.resolve();
    return {
      read: () => mayRespond.promise.then(() => inner.read()),
      close: async (reason) => {
        await turns(5);
        await inner.close(reason);
        events.push("closed");
      },
    };
  });
  const lanes = openLanes(slow);
  const starting = lanes.start().catch(() => events.push("not started"));
  await opened.promise;
  await lanes.close();
  expect(events).toContain("closed");
  await starting;
});

test("close waits no longer than 10 seconds for a connection that does not open", async () => {
  const clock = createVirtualClock();
  const connecting = deferred<ClientSession>();
  const lanes = openLanes(spec, { clock, connect: () => connecting.promise });
  const starting = lanes.start().catch(() => {});
  const closing = lanes.close();
  await until(() => clock.timers > 0);
  clock.advance(10_000);
  await closing;
  connecting.reject(new Error("refused"));
  await starting;
});

test("a connection that opens while all are closed is closed too, whichever comes first", async () => {
  // A few turns of promises lie between the handshake and the end of `start`.
  for (let turn = 0; turn < 10; turn++) {
    const opened = deferred<ClientSession>();
    const lanes = openLanes(spec, {
      async connect() {
        const session = await new Client({ name: "proxy", version: "1.0.0" }).connect(spec.transport());
        opened.resolve(session);
        return session;
      },
    });
    const starting = lanes.start().catch(() => {});
    const session = await opened.promise;
    for (let count = 0; count < turn; count++) {
      await Promise.resolve();
    }
    await lanes.close();
    expect(session.isClosed).toBe(true);
    await starting;
  }
});
