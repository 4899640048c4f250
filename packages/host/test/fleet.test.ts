import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { expect, test } from "vitest";

import { Manager, type ServerSpec } from "../src/index.ts";
import { addEcho, localServer, turns, type LocalServer } from "./fixture.ts";

test("200 servers, 50 dead, 20 slow, 10 flapping: the healthy ones are there within 2 s, and nothing is left afterwards", async () => {
  const clock = createVirtualClock();
  const now = { stdio: 0, remote: 0 };
  const peaks = { stdio: 0, remote: 0 };
  const all: LocalServer[] = [];
  const servers: Record<string, ServerSpec> = {};
  const kinds = { dead: 50, slow: 20, flapping: 10, healthy: 120 };
  const flapping: LocalServer[] = [];
  for (const [kind, count] of Object.entries(kinds)) {
    for (let index = 0; index < count; index++) {
      const pool = index % 10 === 0 ? "stdio" : "remote";
      const one = localServer(addEcho, {
        pool,
        async onConnect(signal) {
          now[pool]++;
          peaks[pool] = Math.max(peaks[pool], now[pool]);
          try {
            await turns(1);
            if (kind === "slow") {
              await new Promise((_, reject) => {
                signal?.addEventListener("abort", () => reject(signal.reason as Error));
              });
            }
          } finally {
            now[pool]--;
          }
        },
      });
      if (kind === "dead") {
        one.refuse(new Error("dead"));
      }
      if (kind === "flapping") {
        flapping.push(one);
      }
      all.push(one);
      // Slow ones are all over the line.
      servers[`${String((index * 7919) % 211).padStart(3, "0")}-${kind}-${index}`] = one.spec;
    }
  }
  const manager = new Manager({
    servers,
    clock,
    limits: { stdioPatienceMs: 250 },
    policy: { limits: { connectTimeoutMs: 10_000 } },
    reconnect: { maxRetries: 2 },
  });
  // The code that is loaded when a first session opens is not what is to be waited for here.
  await using first = new Manager({ servers: { first: localServer(addEcho).spec } });
  await first.connectAll();
  await first.tools();
  const connecting = manager.connectAll({ waitMs: 2000 });
  for (let step = 0; step < 80; step++) {
    await turns(60);
    clock.advance(25);
  }
  const { ready, failed, pending } = await connecting;
  expect(ready).toHaveLength(kinds.healthy + kinds.flapping);
  expect(failed.size).toBe(kinds.dead);
  expect(pending).toHaveLength(kinds.slow);
  expect(peaks).toEqual({ stdio: 2, remote: 5 });
  expect(await manager.tools()).toHaveLength(130);
  await Promise.all(flapping.map((server) => server.crash()));
  for (let step = 0; step < 200 && manager.names().length < 130; step++) {
    await turns(20);
    clock.advance(1000);
  }
  expect(manager.names()).toHaveLength(130);
  await manager.close();
  await turns(10);
  expect(clock.timers).toBe(0);
  expect(all.flatMap(({ server }) => [...server.sessions()])).toEqual([]);
});
