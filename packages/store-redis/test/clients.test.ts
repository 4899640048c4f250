import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { Cluster, Redis } from "ioredis";
import { createClientPool, createCluster, createSentinel } from "redis";
import { expect, test, vi } from "vitest";

import { createRedisStores } from "../src/index.ts";
import { openStores } from "../src/stores.ts";

const session = { id: "s", principal: "ada", opening: "{}", facts: "{}", node: "n1" };
const task = {
  id: "t_1",
  principal: "ada",
  name: "job",
  definitionVersion: "1",
  external: false,
  arguments: "{}",
  data: "null",
  state: "working",
  statusMessage: undefined,
  questions: {},
  outcome: undefined,
  ttlMs: 60_000,
  pollIntervalMs: 1000,
  maxAttempts: 3,
} as const;

test.skipIf(!hasRedis)(
  "a client that adds a prefix of its own finds all that it stores (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const prefix = `tenon-test-${process.pid}-prefixed:`;
    const client = new Redis({ ...(server.target as object), keyPrefix: "app:" });
    let offset = 0;
    const stores = openStores(client, { prefix }, { offsetMs: () => offset });
    const { sessions, tasks } = stores;
    await sessions.create(session, 60_000);
    await sessions.create({ ...session, id: "over" }, 1000);
    offset = 2000;
    expect(await sessions.list("ada", 10)).toEqual(["s"]);
    expect(await sessions.sweep(10)).toMatchObject([{ id: "over" }]);
    await tasks.create(task, { worker: "w", leaseMs: 10_000 });
    const step = { kind: "step", key: "paid", value: "1" } as const;
    await tasks.append(task.id, 1, [step]);
    expect(await tasks.journal(task.id)).toEqual([step]);
    const direct = new Redis(server.target as never);
    expect(await direct.keys(`${prefix}*`)).toEqual([]);
    direct.disconnect();
    await stores.close();
    client.disconnect();
  },
);

test.skipIf(!hasRedis)(
  "a bus and watched tasks work with a client that connects late (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const client = new Redis({ ...(server.target as object), lazyConnect: true });
    await client.connect();
    const stores = createRedisStores(client, { prefix: `tenon-test-${process.pid}-late:` });
    const message = vi.fn();
    await stores.bus.subscribe("x", { message, gap: () => undefined });
    await stores.bus.publish("x", "hello");
    await vi.waitFor(() => expect(message).toHaveBeenCalledWith("hello"));
    const changed = vi.fn();
    await stores.tasks.watch(changed);
    await stores.tasks.create(task);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(task.id, 1));
    await stores.close();
    client.disconnect();
  },
);

test("clients of redis that need more than a command are refused, and clusters of ioredis are not", () => {
  const sentinels = [{ host: "127.0.0.1", port: 1 }];
  for (const client of [
    createCluster({ rootNodes: [{ url: "redis://127.0.0.1:1" }] }),
    createSentinel({ name: "main", sentinelRootNodes: sentinels }),
    createClientPool({ url: "redis://127.0.0.1:1" }),
  ]) {
    expect(() => createRedisStores(client as never)).toThrow(
      /^Client must be .*a cluster, a sentinel or a pool/,
    );
  }
  const cluster = new Cluster(sentinels, { lazyConnect: true });
  expect(() => createRedisStores(cluster)).not.toThrow();
  cluster.disconnect();
});
