import type { Scope } from "@tenon/jsonrpc2";
import { createMemoryBus, StoreError } from "@tenon/stores";
import { deferred } from "@tenon/test-support";
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
