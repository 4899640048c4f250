import { Client } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { localServer, rewired, turns } from "./fixture.ts";
import { everything } from "./lanes-fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

const { spec } = localServer(undefined, { server: { revisions: [legacyRevision] } });

test.each([false, true])(
  "callers that come at the same time get no more connections than maxLanes (one was opened before: %s)",
  async (isStarted) => {
    const lanes = openLanes(spec, { limits: { maxLanes: 2 } });
    if (isStarted) {
      await lanes.start();
    }
    const leases = await Promise.allSettled(
      ["a", "b", "c", "d", "e"].map((key) => lanes.acquire(modernCaller(key), forever, undefined)),
    );
    expect(leases.map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
    ]);
    expect(leases).toContainEqual({
      status: "rejected",
      reason: expect.objectContaining({
        message: expect.stringContaining("maxLanes"),
        data: { reason: "not-sent", delivered: "no" },
      }),
    });
    expect(lanes.size).toBe(2);
  },
);

test("callers that come while a modern server is connected to share its connection, also beyond maxLanes", async () => {
  const lanes = openLanes(localServer().spec, { limits: { maxLanes: 1 } });
  const leases = await Promise.all(
    ["a", "b", "c"].map((key) => lanes.acquire(modernCaller(key), forever, undefined)),
  );
  expect(new Set(leases.map(({ lane }) => lane))).toEqual(new Set([lanes.shared]));
});

test("a caller with input does not get a connection that was opened for callers without, while another such connection closes", async () => {
  const mayClose = deferred();
  const slow = rewired(spec, (inner) => ({
    close: (reason) => mayClose.promise.then(() => inner.close(reason)),
  }));
  const lanes = openLanes(slow);
  await lanes.start();
  const waiting = lanes.acquire(modernCaller("ann", everything), forever, undefined);
  await lanes.start();
  mayClose.resolve();
  const { lane } = await waiting;
  expect(lane.session.declaredCapabilities).toMatchObject({ elicitation: {}, sampling: {} });
});

test("a server that ends its first connection at once does not use up maxLanes", async () => {
  let isFirst = true;
  const lanes = openLanes(spec, {
    limits: { maxLanes: 1 },
    isolation: "everybody",
    async connect({ options, prepare }) {
      const client = new Client({ name: "proxy", version: "1.0.0" }, { ...options, onError: () => {} });
      prepare(client);
      const session = await client.connect(spec.transport());
      if (isFirst) {
        isFirst = false;
        await session.close();
      }
      return session;
    },
  });
  await expect(lanes.start()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(lanes.size).toBe(0);
  // The next attempt waits a moment.
  const connect = (): Promise<boolean> =>
    lanes.view(modernCaller("ann"), forever).then(
      ({ isOpen }) => isOpen,
      () => false,
    );
  await expect.poll(connect).toBe(true);
});

test("a connection whose caller left while it opened takes no place while it closes", async () => {
  const [asked, mayOpen, opened, mayClose] = [deferred(), deferred(), deferred(), deferred()];
  const modern = localServer();
  const slow = rewired(modern.spec, (inner) => ({
    close: (reason) => mayClose.promise.then(() => inner.close(reason)),
  }));
  const lanes = openLanes(slow, {
    async connect({ options, prepare }) {
      asked.resolve();
      await mayOpen.promise;
      const client = new Client({ name: "proxy", version: "1.0.0" }, { ...options, onError: () => {} });
      prepare(client);
      const session = await client.connect(slow.transport());
      opened.resolve();
      return session;
    },
  });
  const gone = new AbortController();
  const leaving = lanes.acquire(modernCaller("ann"), gone.signal, undefined).catch(() => {});
  await asked.promise;
  await lanes.drop({ key: "ann" });
  gone.abort();
  await leaving;
  mayOpen.resolve();
  await opened.promise;
  await turns(5);
  const { size } = lanes;
  mayClose.resolve();
  expect(size).toBe(0);
});
