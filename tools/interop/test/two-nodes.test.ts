import { beforeAll, describe, expect, test } from "vitest";

import { exchanges, type Begun, type Exchange } from "./two-nodes/exchanges.ts";
import { pause, StoreGate, type Condition } from "./two-nodes/faults.ts";
import { startNodes } from "./two-nodes/nodes.ts";
import { startProcesses } from "./two-nodes/processes.ts";
import { startWorld, type World } from "./two-nodes/world.ts";

// Sessions, subscriptions, input requests, resumption and tasks on two nodes behind a balancer
// without affinity. The exchanges are listed in two-nodes/exchanges.ts. All of them begin
// undisturbed. Then one of these conditions holds, for all at once, so that its time passes once:

interface Disturbance {
  /** The condition of the stores. The nodes are in this process. */
  readonly stores?: Condition;
  /** The node that ends by SIGKILL. The nodes are processes. */
  readonly killed?: 0 | 1;
  /** Maximum time that a node waits for its stores, in milliseconds. */
  readonly storeMs: number;
  /** Whether everything must succeed, only later. */
  readonly isWhole?: boolean;
}

const disturbances: Readonly<Record<string, Disturbance>> = {
  "whose store takes 200 ms": { stores: "slow", storeMs: 20_000, isWhole: true },
  "whose store refuses everything for 5 s": { stores: "gone", storeMs: 20_000 },
  "whose store does not respond for 5 s": { stores: "silent", storeMs: 500 },
  "of which the first is killed": { killed: 0, storeMs: 2000 },
  "of which the second is killed": { killed: 1, storeMs: 2000 },
};

const outageMs = 5000;

// The rule: nothing hangs beyond its limit, nothing runs twice, nothing is lost that was confirmed,
// and with a store that is only slow everything succeeds.
describe.each(Object.entries(disturbances))("two nodes %s", (_, disturbance) => {
  const { stores, killed, storeMs, isWhole = false } = disturbance;
  const problems = new Map<string, unknown>();

  beforeAll(async () => {
    const gate = new StoreGate();
    await using processes = killed === undefined ? undefined : await startProcesses(storeMs);
    await using nodes = processes ?? startNodes(gate, storeMs);
    const worlds = new Map(
      Object.keys(exchanges).map((name) => [name, startWorld(nodes, name, { initialDelayMs: 20 })]),
    );
    /** Does a part of all exchanges at once. */
    const all = <T>(part: (name: string, world: World) => Promise<T>): Promise<void[]> =>
      Promise.all(
        [...worlds].map(async ([name, world]) => {
          try {
            await part(name, world);
          } catch (error) {
            problems.set(name, problems.get(name) ?? error);
          }
        }),
      );
    const begun = new Map<string, Begun>();
    await all(async (name, world) => begun.set(name, await (exchanges[name] as Exchange)(world)));
    gate.condition = stores ?? "calm";
    await (killed === undefined ? undefined : processes?.kill(killed));
    const outage = isWhole || killed !== undefined ? Promise.resolve() : pause(outageMs);
    const restored = outage.then(() => (isWhole ? undefined : gate.restore()));
    await all(async (name) => {
      const { during, after } = begun.get(name) as Begun;
      const [outcome] = await Promise.allSettled<[Promise<unknown>]>([during()]);
      await restored;
      if (isWhole) {
        expect(outcome).toMatchObject({ status: "fulfilled" });
      }
      await after(outcome, isWhole);
    });
    gate.restore();
    await Promise.all([...worlds.values()].map((world) => world[Symbol.asyncDispose]()));
  });

  test.each(Object.keys(exchanges))("%s", (exchange) => {
    expect(problems.get(exchange)).toBeUndefined();
  });
});
