import { isStoreError, type Lease } from "@tenon/stores";
import { createTaskEngine } from "@tenon/tasks";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { openStores, type Opened, type StorePlace } from "./cluster/connect.ts";
import { kinds, stopServers } from "./cluster/stores.ts";
import { jobOf } from "./workers/job.ts";

/** Number of turns of the random trial. `TENON_CLUSTER=full` runs more. */
const turns = process.env["TENON_CLUSTER"] === "full" ? 400 : 40;

afterAll(stopServers);

async function placeOf(kind: string): Promise<StorePlace> {
  const { place } = await (kinds[kind] as NonNullable<(typeof kinds)[string]>)();
  return place as StorePlace;
}

/** Connects a process behind a proxy of its own. */
async function open(place: StorePlace, timeoutMs?: number): Promise<Opened> {
  const opened = await openStores(place, timeoutMs);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** The events of a session, oldest first. */
async function dataOf({ stores: { events } }: Opened, first: string): Promise<string[]> {
  const read: string[] = [];
  for await (const { data } of events.readAfter({ sessionId: "s", streamId: "t" }, first)) {
    read.push(data);
  }
  return read;
}

const stream = { sessionId: "s", streamId: "t" };
const trial = (title: string, run: (place: StorePlace) => Promise<void>): void => {
  for (const kind of ["redis", "postgres"]) {
    test.skipIf(kinds[kind] === undefined)(`${title} (${kind}, skipped without a server)`, async () =>
      run(await placeOf(kind)),
    );
  }
};

trial("an event that is held back on the way is refused after another process took over", async (place) => {
  const [paused, next] = [await open(place, 60_000), await open(place)];
  const first = await next.stores.events.append(stream, "");
  const { fence } = (await paused.stores.leases.acquire("s", "paused", 60_000)) as Lease;
  await paused.stores.events.append({ ...stream, fence }, "before");
  paused.proxy.hold();
  const late = paused.stores.events.append({ ...stream, fence }, "late");
  const taken = (await next.stores.leases.acquire("s", "next", 60_000, { takeOver: true })) as Lease;
  await next.stores.events.append({ ...stream, fence: taken.fence }, "after");
  paused.proxy.restore();
  await expect(late).rejects.toMatchObject({ code: "FENCED" });
  expect(await dataOf(next, first)).toEqual(["before", "after"]);
});

trial(
  "the result of a task that is held back on the way is refused after another worker ran it",
  async (place) => {
    const [paused, next] = [await open(place, 60_000), await open(place)];
    await using engine = createTaskEngine({ store: next.stores.tasks, limits: { maxRunning: 0 } });
    const { id } = await engine.start({ definition: jobOf(() => Promise.resolve()), arguments: 0 });
    const claim = { limit: 1, names: ["job"] };
    const claimed = await paused.stores.tasks.claim({ ...claim, worker: "paused", leaseMs: 1 });
    expect(claimed).toMatchObject([{ id, fence: 1 }]);
    paused.proxy.hold();
    const end = { state: "completed" } as const;
    const late = paused.stores.tasks.update(
      id,
      { ...end, outcome: '{"result":1}' },
      { version: 1, fence: 1 },
    );
    await expect
      .poll(() => next.stores.tasks.claim({ ...claim, worker: "next", leaseMs: 60_000 }))
      .toMatchObject([{ id, fence: 2 }]);
    paused.proxy.restore();
    expect(await late).toBe("fenced");
    const updated = await next.stores.tasks.update(
      id,
      { ...end, outcome: '{"result":2}' },
      { version: 1, fence: 2 },
    );
    expect(updated).toMatchObject({ state: "completed", outcome: '{"result":2}' });
  },
);

trial(
  "an update of a session that is held back on the way is a conflict after another process's",
  async (place) => {
    const [paused, next] = [await open(place, 60_000), await open(place)];
    const session = { id: "s", principal: undefined, opening: "{}", facts: "{}", node: "paused" };
    await next.stores.sessions.create(session, 60_000);
    paused.proxy.hold();
    const late = paused.stores.sessions.update("s", 1, { node: "paused again" });
    await next.stores.sessions.update("s", 1, { node: "next" });
    paused.proxy.restore();
    expect(await late).toBe("conflict");
    expect(await next.stores.sessions.get("s", undefined)).toMatchObject({ node: "next", version: 2 });
  },
);

/** A pseudo-random sequence, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

trial(
  "three writers whose bytes are delayed and lost at random write in the order of their fences",
  async (place) => {
    const seed = 42;
    const random = randomOf(seed);
    const reader = await open(place);
    const first = await reader.stores.events.append(stream, "");
    const writers = [await open(place, 100), await open(place, 100), await open(place, 100)];
    const accepted: string[] = [];
    let refused = 0;
    const write = async ({ stores, proxy }: Opened, index: number): Promise<void> => {
      let lease: Lease | undefined;
      for (let turn = 0; turn < turns; turn++) {
        const chance = random();
        if (chance < 0.1) {
          proxy.hold();
        } else if (chance < 0.2) {
          proxy.drop();
        } else if (chance < 0.4) {
          proxy.delay(20);
        } else {
          proxy.restore();
        }
        try {
          if (lease === undefined || chance > 0.85) {
            lease = await stores.leases.acquire("s", `writer-${index}`, 60_000, { takeOver: true });
          }
          const { fence } = lease as Lease;
          const data = `${fence} ${index} ${turn}`;
          await stores.events.append({ ...stream, fence }, data);
          accepted.push(data);
        } catch (error) {
          // A lost writer does not know, and tries again under its old fence.
          lease = isStoreError(error, "FENCED") ? undefined : lease;
          refused += isStoreError(error, "FENCED") ? 1 : 0;
        }
      }
      proxy.restore();
    };
    await Promise.all(writers.map(write));
    const written = await dataOf(reader, first);
    const fences = written.map((data) => Number(data.split(" ")[0]));
    expect(fences).toEqual(fences.toSorted((one, other) => one - other));
    expect(new Set(written).size).toBe(written.length);
    expect(written).toEqual(expect.arrayContaining(accepted));
    expect([refused > 0, accepted.length > 0, new Set(fences).size > 3]).toEqual([true, true, true]);
  },
);
