import { expect, test } from "vitest";

import { exchanges } from "./two-nodes/exchanges.ts";
import { startWorld, type World } from "./two-nodes/world.ts";

// Sessions, subscriptions, input requests, resumption and tasks on two nodes behind a balancer
// without affinity. The exchanges are listed in two-nodes/exchanges.ts. Each begins undisturbed.
// Then one of these conditions holds, until the disturbed part has settled or the store is back:

interface Condition {
  readonly begin: (world: World) => void;
  /** Maximum time that a node waits, in milliseconds: short where tests wait for it. */
  readonly storeMs: number;
  /** Whether everything must succeed, only later. */
  readonly isWhole?: boolean;
}

const conditions: Readonly<Record<string, Condition>> = {
  "whose store takes 200 ms": {
    begin: ({ gate }) => {
      gate.condition = "slow";
    },
    storeMs: 20_000,
    isWhole: true,
  },
  "whose store refuses everything for a while": {
    begin: ({ gate }) => {
      gate.condition = "gone";
    },
    storeMs: 20_000,
  },
  "whose store does not respond for a while": {
    begin: ({ gate }) => {
      gate.condition = "silent";
    },
    storeMs: 100,
  },
  "of which the first is killed": { begin: ({ nodes }) => nodes[0].kill(), storeMs: 500 },
  "of which the second is killed": { begin: ({ nodes }) => nodes[1].kill(), storeMs: 500 },
};

/** The store is away for several times as long as nodes wait for it. */
const outageMs = 500;

// The rule: nothing hangs beyond its limit, nothing runs twice, nothing is lost that was confirmed,
// and with a store that is only slow everything succeeds.
for (const [exchange, begin] of Object.entries(exchanges)) {
  for (const [condition, { begin: disturb, storeMs, isWhole = false }] of Object.entries(conditions)) {
    test(`${exchange}, on two nodes ${condition}`, { timeout: 60_000 }, async () => {
      await using world = startWorld(storeMs);
      const { during, after } = await begin(world);
      disturb(world);
      const outage = isWhole ? undefined : setTimeout(() => world.gate.restore(), outageMs);
      const [outcome] = await Promise.allSettled<[Promise<unknown>]>([during()]);
      clearTimeout(outage);
      world.gate.restore();
      if (isWhole) {
        expect(outcome).toMatchObject({ status: "fulfilled" });
      }
      await after(outcome, isWhole);
    });
  }
}
