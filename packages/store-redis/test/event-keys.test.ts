import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { Redis } from "ioredis";
import { expect, test } from "vitest";

import { createRedisStores } from "../src/index.ts";

test.skipIf(!hasRedis)(
  "the keys of events last little longer than the events (skipped without a server)",
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.target as never);
    const prefix = `tenon-test-${process.pid}-keys:`;
    const eventTtlMs = 60_000;
    const stores = createRedisStores(client, { prefix, limits: { eventTtlMs } });
    await stores.events.append({ sessionId: "s", streamId: "a" }, "1");
    const [key, ...others] = await client.keys(`${prefix}e:*:e`);
    expect(others).toEqual([]);
    const leftMs = await client.pttl(String(key));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1.5 * eventTtlMs);
    await stores.close();
    client.disconnect();
  },
);
