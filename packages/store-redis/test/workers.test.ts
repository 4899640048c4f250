import { createTaskEngine, type TaskDefinition, type TaskEngine } from "@tenon/tasks";
import { startProxy, type Proxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { expect, test } from "vitest";

import { createRedisStores, type RedisStores } from "../src/index.ts";
import { libraries } from "./support.ts";

const tasks = 500;

/** One process with its own connection, which can be cut. */
interface Worker {
  readonly engine: TaskEngine;
  readonly stores: RedisStores;
  readonly proxy: Proxy;
  /** Number of runs that began. */
  runs: number;
  close(): Promise<void>;
}

async function startWorker(
  target: Parameters<typeof startProxy>[0],
  before: () => Promise<void>,
): Promise<Worker> {
  const proxy = await startProxy(target);
  const connected = await libraries.redis(proxy.port);
  const stores = createRedisStores(connected.client, {
    limits: { timeoutMs: 60_000 },
    onError: () => undefined,
  });
  const limits = { leaseMs: 3000, sweepIntervalMs: 50 };
  const engine = createTaskEngine({ store: stores.tasks, limits, onError: () => undefined });
  const job: TaskDefinition = {
    name: "job",
    version: "1",
    async run(task) {
      worker.runs++;
      await before();
      return task.arguments;
    },
  };
  const worker: Worker = {
    engine,
    stores,
    proxy,
    runs: 0,
    async close() {
      await engine.close();
      await stores.close();
      connected.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
  await engine.resume({ definitions: [job] });
  definitions.set(engine, job);
  return worker;
}

/** Repeats a call until it succeeds. */
async function untilConnected<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
  }
}

const definitions = new WeakMap<TaskEngine, TaskDefinition>();

test.skipIf(!hasRedis)(
  "a worker that is cut off from the store loses its tasks to others, and its late results are refused (skipped without a server)",
  async () => {
    await using server = await startRedis();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = await startWorker(server.target, () => gate);
    const job = definitions.get(slow.engine) as TaskDefinition;
    const ids: string[] = [];
    for (let index = 0; index < tasks; index++) {
      ids.push((await slow.engine.start({ definition: job, arguments: index })).id);
    }
    expect(slow.runs).toBeGreaterThan(0);
    const held = await slow.stores.tasks.get(ids[0] ?? "", "");
    expect(held).toMatchObject({ state: "working", fence: 1 });
    slow.proxy.stop();
    const others = [
      await startWorker(server.target, () => Promise.resolve()),
      await startWorker(server.target, () => Promise.resolve()),
    ] as const;
    const ended = await Promise.all(ids.map((id) => others[0].engine.result(id, "")));
    expect(ended.map((task) => task?.outcome)).toEqual(ids.map((_, index) => ({ result: index })));
    const { tasks: store } = others[1].stores;
    const before = await Promise.all(ids.map((id) => store.get(id, "")));
    slow.proxy.restore();
    // Its connection works again before the runs go on.
    const late = await untilConnected(() =>
      slow.stores.tasks.update(ids[0] ?? "", { statusMessage: "late" }, { version: 1, fence: 1 }),
    );
    expect(late).toBe("ended");
    expect(await slow.stores.tasks.append(ids[0] ?? "", 1, [{ kind: "step", key: "late", value: "1" }])).toBe(
      false,
    );
    open();
    await slow.close();
    expect(await Promise.all(ids.map((id) => store.get(id, "")))).toEqual(before);
    expect(others[0].runs + others[1].runs).toBe(tasks);
    await Promise.all(others.map((other) => other.close()));
  },
);
