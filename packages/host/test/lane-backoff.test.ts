import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { localServer } from "./fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

const { spec } = localServer(undefined, { server: { revisions: [legacyRevision] } });
const connect = (): Promise<ClientSession> =>
  new Client({ name: "proxy", version: "1.0.0" }).connect(spec.transport());

test("attempts to connect that fail at the same time are one failure, so the next attempt waits for 100 ms at most", async () => {
  const clock = createVirtualClock();
  let isDown = true;
  const lanes = openLanes(spec, {
    clock,
    connect: () => (isDown ? Promise.reject(new Error("refused")) : connect()),
  });
  const users = Array.from({ length: 10 }, (_, index) => modernCaller(`user ${index}`));
  const leases = await Promise.allSettled(users.map((user) => lanes.acquire(user, forever, undefined)));
  expect(leases.map(({ status }) => status)).toEqual(users.map(() => "rejected"));
  isDown = false;
  clock.advance(100);
  expect((await lanes.view(modernCaller("user 1"), forever)).isOpen).toBe(true);
});

test("after an attempt that succeeded, a failed attempt of the same time delays no caller", async () => {
  const mayOpen = deferred();
  let attempts = 0;
  const lanes = openLanes(spec, {
    connect: async () => {
      attempts++;
      if (attempts === 1) {
        await mayOpen.promise;
      } else if (attempts === 2) {
        throw new Error("refused");
      }
      return connect();
    },
  });
  const first = lanes.view(modernCaller("ann"), forever);
  await expect(lanes.view(modernCaller("bob"), forever)).rejects.toMatchObject({ code: -32_603 });
  mayOpen.resolve();
  await first;
  expect((await lanes.view(modernCaller("bob"), forever)).isOpen).toBe(true);
});
