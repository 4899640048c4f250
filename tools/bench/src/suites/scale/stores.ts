import type { NewTask } from "@tenon/tasks";

import { concurrentLoop } from "../../loops/async.ts";
import type { Metrics, Subject } from "../../runner.ts";
import { quantile } from "../../stats.ts";
import type { Place } from "./places.ts";

export const works = {
  append: "append events, 256 at a time",
  claim: "claim tasks, 1,000 created and ended per second",
} as const;

const streams = 64;
const data = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "x".repeat(100) },
});

/** Number of tasks of a sample: two seconds of them. */
const tasks = 2000;
const perSecond = 1000;
/** Maximum number of tasks that are being created. */
const maxCreating = 64;

function taskOf(id: string, name: string): NewTask {
  return {
    id,
    principal: "",
    name,
    definitionVersion: "1",
    external: false,
    arguments: "{}",
    data: "{}",
    state: "working",
    statusMessage: undefined,
    questions: {},
    outcome: undefined,
    ttlMs: 60_000,
    pollIntervalMs: 1000,
    maxAttempts: 3,
  };
}

/**
 * Creates tasks at a steady rate, or slower if the store does not keep up, claims them, and ends
 * them. @returns The times of the claims, and the rate.
 */
async function claims({ stores }: Place, name: string): Promise<Metrics> {
  const store = stores.tasks;
  const times: number[] = [];
  const ended = { count: 0 };
  const create = async (): Promise<void> => {
    const started = performance.now();
    const running = new Set<Promise<unknown>>();
    for (let count = 0; count < tasks;) {
      const due = Math.min(tasks, ((performance.now() - started) / 1000) * perSecond);
      while (count < due && running.size < maxCreating) {
        const creating = store
          .create(taskOf(`${name}-${count++}`, name))
          .finally(() => running.delete(creating));
        running.add(creating);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(running);
  };
  const work = async (worker: string): Promise<void> => {
    while (ended.count < tasks) {
      const begun = performance.now();
      const claimed = await store.claim({ worker, leaseMs: 30_000, limit: 16, names: [name] });
      times.push((performance.now() - begun) * 1e6);
      await Promise.all(
        claimed.map(async ({ id, version, fence }) => {
          await store.update(id, { state: "completed", outcome: '{"result":1}' }, { version, fence });
          ended.count++;
        }),
      );
      if (claimed.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  };
  const started = performance.now();
  await Promise.all([create(), ...["a", "b", "c", "d"].map(work)]);
  const seconds = (performance.now() - started) / 1000;
  return { ns: quantile(times, 0.5), p99Ns: quantile(times, 0.99), perSecond: tasks / seconds };
}

/** What the stores themselves do. */
export function storeSubjects(places: readonly Place[]): Subject[] {
  let runs = 0;
  return places.flatMap((place): Subject[] => [
    {
      candidate: place.name,
      work: works.append,
      sample: concurrentLoop(
        async (index) => {
          const stream = `s${index % streams}`;
          await place.stores.events.append({ sessionId: stream, streamId: stream }, data);
        },
        { calls: 20_000, concurrency: 256 },
      ),
    },
    { candidate: place.name, work: works.claim, sample: () => claims(place, `bench-${runs++}`) },
  ]);
}
