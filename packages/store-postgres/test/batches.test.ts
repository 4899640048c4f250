import { randomBytes } from "node:crypto";

import { createTaskEngine, type TaskDefinition } from "@tenon/tasks";
import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import type { Pool } from "pg";
import { afterAll, expect, test } from "vitest";

import { createPostgresStores, type PostgresPool, type PostgresStores } from "../src/index.ts";
import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

/** Runs a function with pools of an empty server. */
async function withPools(count: number, run: (...pools: Pool[]) => Promise<void>): Promise<void> {
  const server = await emptyServer();
  await using proxy = await startProxy(server.target);
  const pools = Array.from({ length: count }, () => openPool(server, proxy.port));
  try {
    await run(...pools);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

const codeOf = (error: { readonly code?: unknown }): unknown => error.code;

test.skipIf(!hasPostgres)(
  "an event that the server refuses fails alone, and others that were appended with it are kept (skipped without a server)",
  () =>
    withPools(1, async (pool) => {
      const { events, close } = createPostgresStores(pool);
      // No index of the server has room for so long a name.
      const tooLong = randomBytes(20_000).toString("base64");
      const first = await events.append({ sessionId: "s", streamId: "t" }, "");
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          Promise.resolve(
            events.append({ sessionId: "s", streamId: index === 17 ? tooLong : "t" }, String(index)),
          ).then(() => "kept", codeOf),
        ),
      );
      expect(results).toEqual(results.map((_, index) => (index === 17 ? "STORE_FAILED" : "kept")));
      const read: number[] = [];
      for await (const { data } of events.readAfter({ sessionId: "s", streamId: "t" }, first)) {
        read.push(Number(data));
      }
      expect(read).toEqual(Array.from({ length: 40 }, (_, index) => index).filter((index) => index !== 17));
      await close();
    }),
);

test.skipIf(!hasPostgres)(
  "processes that append to the same sessions at the same time lock them in one order (skipped without a server)",
  () =>
    withPools(2, async (...pools) => {
      const stores = pools.map((pool) => createPostgresStores(pool));
      const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
      const appendAll = async ({ events }: PostgresStores, order: readonly string[]): Promise<void> => {
        for (let round = 0; round < 20; round++) {
          await Promise.all(order.map(async (sessionId) => events.append({ sessionId, streamId: "t" }, "")));
        }
      };
      await Promise.all(
        stores.map((each, index) => appendAll(each, index === 0 ? names : names.toReversed())),
      );
      const found = await pools[0]?.query(
        `SELECT min(sequence)::integer AS least, max(sequence)::integer AS most,
          (SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()) AS deadlocks
        FROM tenon_event_session`,
      );
      expect(found?.rows).toEqual([{ least: 40, most: 40, deadlocks: 0 }]);
      await Promise.all(stores.map((each) => each.close()));
    }),
);

test.skipIf(!hasPostgres)(
  "appends above maxWaiting are refused while others wait (skipped without a server)",
  () =>
    withPools(1, async (pool) => {
      const { events, close } = createPostgresStores(pool, { limits: { maxWaiting: 3 } });
      const append = async (): Promise<unknown> => events.append({ sessionId: "s", streamId: "t" }, "");
      const results = await Promise.all(Array.from({ length: 5 }, () => append().then(() => "kept", codeOf)));
      expect(results).toEqual(["kept", "kept", "kept", "STORE_FULL", "STORE_FULL"]);
      await append();
      await close();
    }),
);

test.skipIf(!hasPostgres)(
  "a fence that is no integer is refused, and writes nothing (skipped without a server)",
  () =>
    withPools(1, async (pool) => {
      const { events, close } = createPostgresStores(pool);
      for (const fence of [-1, 0.5, Number.NaN, 2 ** 53]) {
        const append = async (): Promise<unknown> =>
          events.append({ sessionId: "s", streamId: "t", fence }, "");
        await expect(append()).rejects.toThrow("from 0 to 2^53 - 1");
      }
      expect((await pool.query("SELECT 1 FROM tenon_event"))?.rows).toEqual([]);
      await close();
    }),
);

test.skipIf(!hasPostgres)(
  "a result reaches another process although the announcements of tasks are lost (skipped without a server)",
  () =>
    withPools(2, async (...pools) => {
      const errors: unknown[] = [];
      const [stores, others] = pools.map((pool) =>
        createPostgresStores(withoutAnnouncements(pool), { onError: (error) => errors.push(error) }),
      ) as [PostgresStores, PostgresStores];
      const job: TaskDefinition = { name: "job", version: "1", run: () => "done" };
      // A sweep may be under way when the stores are closed.
      const engine = { limits: { sweepIntervalMs: 20 }, onError: () => undefined };
      const waiter = createTaskEngine({
        ...engine,
        store: stores.tasks,
        limits: { ...engine.limits, maxRunning: 0 },
      });
      const { id } = await waiter.start({ definition: job });
      const result = waiter.result(id, "");
      const worker = createTaskEngine({ ...engine, store: others.tasks });
      await worker.resume({ definitions: [job] });
      expect(await result).toMatchObject({ state: "completed", outcome: { result: "done" } });
      await Promise.all([waiter.close(), worker.close()]);
      await Promise.all([stores.close(), others.close()]);
      // The task was created, and ended.
      expect(errors).toMatchObject([{ code: "STORE_FAILED" }, { code: "STORE_FAILED" }]);
    }),
);

test.skipIf(!hasPostgres)(
  "only the commits of messages do not wait for the disk (skipped without a server)",
  () =>
    withPools(1, async (pool) => {
      const statements: string[] = [];
      const { bus, close } = createPostgresStores(recording(pool, statements));
      pool.options.max = 1;
      await bus.publish("topic", "payload");
      expect(statements).toEqual([expect.stringContaining("set_config('synchronous_commit', 'off', true)")]);
      expect((await pool.query("SHOW synchronous_commit"))?.rows).toEqual([{ synchronous_commit: "on" }]);
      await close();
    }),
);

/** A pool whose announcements of tasks fail. */
function withoutAnnouncements(pool: Pool): PostgresPool {
  return {
    connect: () => pool.connect(),
    query: (query) =>
      query.text.startsWith("SELECT pg_notify") ? Promise.reject(new Error("lost")) : pool.query(query),
  };
}

/** A pool that records its statements. */
function recording(pool: Pool, statements: string[]): PostgresPool {
  return {
    connect: () => pool.connect(),
    query(query) {
      statements.push(query.text);
      return pool.query(query);
    },
  };
}
