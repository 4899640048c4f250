import { createTaskEngine, type TaskDefinition, type TaskEngine } from "@tenon/tasks";
import { hasPostgres, type PostgresServer } from "@tenon/test-support/postgres";
import { startProxy, type Proxy } from "@tenon/test-support/proxy";
import { afterAll, expect, test } from "vitest";

import { createPostgresStores, type PostgresStores } from "../src/index.ts";
import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

const tasks = 500;

/** One process with its own connection, which can be cut. */
interface Worker {
  readonly engine: TaskEngine;
  readonly stores: PostgresStores;
  readonly proxy: Proxy;
  /** Number of runs that began. */
  runs: number;
  close(): Promise<void>;
}

async function startWorker(server: PostgresServer, before: () => Promise<void>): Promise<Worker> {
  const proxy = await startProxy(server.target);
  const pool = openPool(server, proxy.port);
  const stores = createPostgresStores(pool, { limits: { timeoutMs: 60_000 }, onError: () => undefined });
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
      await pool.end();
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

test.skipIf(!hasPostgres)(
  "a worker that is cut off from the store loses its tasks to others, and its late results are refused (skipped without a server)",
  async () => {
    const server = await emptyServer();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = await startWorker(server, () => gate);
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
      await startWorker(server, () => Promise.resolve()),
      await startWorker(server, () => Promise.resolve()),
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
