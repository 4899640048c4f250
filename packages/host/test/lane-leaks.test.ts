import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { CallRelay, type Lane } from "@tenon/host";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test, vi } from "vitest";

import { localServer } from "./fixture.ts";
import { proxied } from "./lanes-fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

const { spec } = localServer(undefined, { server: { revisions: [legacyRevision] } });

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

test("a late request of a legacy session that has ended keeps no connection", async () => {
  const lanes = openLanes(spec);
  const front = new Server({ name: "front", version: "1.0.0" }, { onError: () => {} });
  const [here, there] = createInMemoryTransports();
  const session = await front.connect(there);
  const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [legacyRevision] });
  await client.connect(here);
  const caller = new CallRelay().callerOfSession(session);
  await lanes.view(caller, forever);
  await session.close();
  await expect.poll(() => lanes.size).toBe(0);
  // A list that several clients wait for does not end with one of them.
  await lanes.view(caller, forever);
  await expect.poll(() => lanes.size).toBe(0);
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
    await starting;
    await session.closed;
  }
});
