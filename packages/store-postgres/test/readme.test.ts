import { createPostgresStores } from "@tenon/store-postgres";
import { createTaskEngine, type TaskDefinition } from "@tenon/tasks";
import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { Pool, type PoolConfig } from "pg";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";

import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

const job: TaskDefinition = { name: "job", version: "1", run: async (task) => task.arguments };

async function demo(config: PoolConfig, interrupt: () => Promise<void>): Promise<unknown> {
  // #region open
  const pool = new Pool(config).on("error", console.error);
  await using stores = createPostgresStores(pool);
  await using engine = createTaskEngine({ store: stores.tasks });
  // #endregion open
  await stores.sessions.get("s", "ada");
  await interrupt();
  const { id } = await engine.start({ definition: job, arguments: "done", principal: "ada" });
  const ended = await engine.result(id, "ada");
  await engine.close();
  await stores.close();
  await pool.end();
  return ended?.outcome;
}

test.skipIf(!hasPostgres)(
  "an engine runs its tasks on PostgreSQL, and survives a lost connection (skipped without a server)",
  async () => {
    const { user, password, database, target } = await emptyServer();
    await using proxy = await startProxy(target);
    const options = "-c search_path=tenon_test";
    const config = { host: "127.0.0.1", port: proxy.port, user, password, database, options };
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => reported.mockRestore());
    const interrupt = async (): Promise<void> => {
      proxy.stop();
      await vi.waitFor(() => expect(reported).toHaveBeenCalled());
      proxy.restore();
    };
    expect(await demo(config, interrupt)).toEqual({ result: "done" });
  },
);

test.skipIf(!hasPostgres)("limits of tasks and events hold (skipped without a server)", async () => {
  const server = await emptyServer();
  await using proxy = await startProxy(server.target);
  const pool = openPool(server, proxy.port);
  const limits = { maxTasksPerPrincipal: 1, maxEventsPerSession: 5 };
  const stores = createPostgresStores(pool, { limits });
  const engine = createTaskEngine({ store: stores.tasks });
  await engine.start({ definition: job, arguments: "", principal: "ada" });
  const second = engine.start({ definition: job, arguments: "", principal: "ada" });
  await expect(second).rejects.toMatchObject({ code: "STORE_FULL" });
  const simultaneous = Array.from({ length: 20 }, () =>
    engine.start({ definition: job, arguments: "", principal: "bob" }),
  );
  const started = (await Promise.allSettled(simultaneous)).filter(({ status }) => status === "fulfilled");
  expect(started).toHaveLength(1);
  const ids: string[] = [];
  for (let count = 0; count < 64; count++) {
    ids.push(await stores.events.append({ sessionId: "s", streamId: "t" }, ""));
  }
  expect(await stores.events.streamOf("s", ids[58] ?? "")).toBeUndefined();
  expect(await stores.events.streamOf("s", ids[59] ?? "")).toBe("t");
  await engine.close();
  await stores.close();
  await pool.end();
});

test.skipIf(!hasPostgres)("old rows are deleted by later writes (skipped without a server)", async () => {
  const server = await emptyServer();
  await using proxy = await startProxy(server.target);
  const pool = openPool(server, proxy.port);
  const { replay, close } = createPostgresStores(pool);
  await replay.add("old", 1);
  for (let count = 0; count < 256; count++) {
    await replay.add(`proof ${count}`, Date.UTC(2100, 0));
  }
  await vi.waitFor(async () => {
    const { rows } = await pool.query("SELECT count(*)::integer AS count FROM tenon_replay");
    expect(rows).toEqual([{ count: 256 }]);
  });
  await close();
  await pool.end();
});

test.skipIf(!hasPostgres)(
  "statements are prepared once for each connection, or not at all (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    for (const [prepare, expected] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const pool = openPool(server, proxy.port);
      pool.options.max = 1;
      const { sessions, close } = createPostgresStores(pool, { prepare });
      await sessions.get("a", undefined);
      await sessions.get("b", undefined);
      const sql = "SELECT count(*)::integer AS count FROM pg_prepared_statements WHERE name LIKE 'tenon%'";
      expect((await pool.query(sql)).rows).toEqual([{ count: expected }]);
      await close();
      await pool.end();
    }
  },
);

test("options that do not exist, and channels that are no names, are refused", () => {
  const pool = new Pool();
  expect(() => createPostgresStores(pool, { limits: { eventTtl: 1 } } as object)).toThrow("eventTtlMs");
  expect(() => createPostgresStores(pool, { channel: "a; DROP TABLE b" })).toThrow("lower-case");
});
