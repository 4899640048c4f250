import type { Scope } from "@tenon/jsonrpc2";
import { createMemoryBus, StoreError, type Bus, type BusListener } from "@tenon/stores";
import { deferred } from "@tenon/test-support";
import type { StreamableHandlerOptions } from "@tenon/transports-streamable-http/server";
import { expect, test, vi } from "vitest";

import { call, cluster } from "./cluster.ts";
import { echo, modern } from "./setup.ts";

test("revoking a principal at one process ends its sessions at every process, with their streams", async () => {
  const closed = vi.fn();
  await using three = cluster(echo, { sessions: { onSessionClosed: closed } });
  const ada = [
    await three.open(0, { authorization: "ada" }),
    await three.open(1, { authorization: "ada" }),
  ] as const;
  const bob = await three.open(1, { authorization: "bob" });
  const stream = await three.send(1, "GET", ada[0]);
  await three.nodes[2]?.revoke("ada");
  await stream.text();
  for (const node of [0, 1, 2]) {
    expect((await three.send(node, "POST", ada[0], call(node))).status).toBe(404);
    expect((await three.send(node, "POST", ada[1], call(node))).status).toBe(404);
    expect((await three.send(node, "POST", bob, call(node))).status).toBe(200);
  }
  const ids = ada.map((session) => session["mcp-session-id"] ?? "").toSorted();
  expect(closed.mock.calls.map(([{ id }, end]) => `${id} ${end}`).toSorted()).toEqual(
    ids.map((id) => `${id} revoked`),
  );
});

test("revoking a principal at one process ends its modern requests at every process that has served it", async () => {
  const bus = createMemoryBus();
  const subscribed = vi.fn();
  const revoked = vi.fn();
  const started = [deferred(), deferred()];
  const forever = ({ signal }: Scope, node: number): Promise<unknown> => {
    started[node]?.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  await using three = cluster(
    forever,
    { onRevoked: revoked },
    {
      bus: {
        ...bus,
        async subscribe(topic, listener) {
          const subscription = await bus.subscribe(topic, listener);
          subscribed(topic);
          return subscription;
        },
      },
    },
  );
  const begin = (node: number, authorization: string): Promise<Response> => {
    const { headers, body } = modern("tools/call", { name: "x" });
    const message: unknown = JSON.parse(body);
    return three.send(node, "POST", { ...headers, authorization }, message);
  };
  const responses = [begin(0, "ada"), begin(1, "ada")];
  await Promise.all(started.map(({ promise }) => promise));
  await vi.waitFor(() =>
    expect(subscribed.mock.calls.filter(([topic]) => topic === "mcp.sessions")).toHaveLength(2),
  );
  await three.nodes[2]?.revoke("ada");
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([401, 401]);
  expect(revoked.mock.calls).toEqual([["ada"], ["ada"], ["ada"]]);
});

test("revoke rejects if the bus cannot reach other processes, and ends what this process serves", async () => {
  const bus = createMemoryBus();
  const down = new StoreError("STORE_FAILED", "down");
  await using three = cluster(
    echo,
    { onError: () => {} },
    { bus: { ...bus, publish: () => Promise.reject(down) } },
  );
  const session = await three.open(0, { authorization: "ada" });
  await expect(three.nodes[0]?.revoke("ada")).rejects.toBe(down);
  await vi.waitFor(async () => expect((await three.send(0, "POST", session, call(1))).status).toBe(404));
});

/** A bus whose messages get lost while it is cut. */
function cuttableBus(): { bus: Bus; cut(): void; restore(): void; listens(count: number): Promise<void> } {
  const bus = createMemoryBus();
  const listeners: BusListener[] = [];
  let isCut = false;
  return {
    bus: {
      ...bus,
      publish: (topic, payload) => (isCut ? Promise.resolve() : bus.publish(topic, payload)),
      async subscribe(topic, listener) {
        const subscription = await bus.subscribe(topic, listener);
        if (topic === "mcp.sessions") {
          listeners.push(listener);
        }
        return subscription;
      },
    },
    cut: () => (isCut = true),
    restore() {
      isCut = false;
      listeners.forEach((listener) => listener.gap());
    },
    listens: (count) => vi.waitFor(() => expect(listeners).toHaveLength(count)),
  };
}

/** A cluster whose requests last until they are revoked. */
function lasting(bus: Bus, options: Partial<StreamableHandlerOptions>) {
  const started = deferred();
  const three = cluster(
    ({ signal }: Scope) => {
      started.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    options,
    { bus },
  );
  const { headers, body } = modern("tools/call", { name: "x" });
  return {
    three,
    async begin(node: number, authorization: string): Promise<{ readonly response: Promise<Response> }> {
      const response = three.send(node, "POST", { ...headers, authorization }, JSON.parse(body));
      await started.promise;
      return { response };
    },
  };
}

test("a process that has lost the bus catches up with revocations when the bus is back", async () => {
  const { bus, cut, restore, listens } = cuttableBus();
  const revoked = vi.fn();
  const { three, begin } = lasting(bus, { onRevoked: revoked });
  await using _ = three;
  const [ada, bob] = [await begin(0, "ada"), await begin(0, "bob")];
  await listens(1);
  await three.nodes[2]?.revoke("eve");
  await vi.waitFor(() => expect(revoked.mock.calls).toEqual([["eve"], ["eve"]]));
  cut();
  await three.nodes[2]?.revoke("ada");
  expect(revoked.mock.calls.slice(2)).toEqual([["ada"]]);
  restore();
  expect((await ada.response).status).toBe(401);
  expect(revoked.mock.calls.slice(2)).toEqual([["ada"], ["ada"]]);
  // What has arrived is not applied again, and others are not affected.
  restore();
  await three.nodes[2]?.revoke("bob");
  expect((await bob.response).status).toBe(401);
  expect(revoked.mock.calls.slice(4)).toEqual([["bob"], ["bob"]]);
});

test("a process that never learns of a gap reads the revocations at an interval", async () => {
  const { bus, cut, listens } = cuttableBus();
  const { three, begin } = lasting(bus, { limits: { idleMs: 40 } });
  await using _ = three;
  const { response } = await begin(0, "ada");
  await listens(1);
  cut();
  await three.nodes[2]?.revoke("ada");
  expect((await response).status).toBe(401);
});

test("a process that may have missed more revocations than are listed ends the requests of all principals", async () => {
  const { bus, cut, restore, listens } = cuttableBus();
  const errors: unknown[] = [];
  const { three, begin } = lasting(bus, { onError: (error) => errors.push(error) });
  await using _ = three;
  const { response } = await begin(0, "ada");
  await listens(1);
  cut();
  for (let user = 0; user < 1_000; user++) {
    await three.nodes[2]?.revoke(`user-${user}`);
  }
  restore();
  expect((await response).status).toBe(401);
  expect(String(errors[0])).toContain("more than 1000 revocations");
});

test("the list of revocations is not a session, whoever asks for it", async () => {
  await using three = cluster();
  const authorization = "mcp.revocations";
  await three.nodes[0]?.revoke("ada");
  const session = { authorization, "mcp-session-id": "mcp.revocations" };
  expect((await three.send(0, "POST", session, call(1))).status).toBe(404);
  expect((await three.send(0, "DELETE", session)).status).toBe(404);
});
