import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { afterAll, expect, test, vi } from "vitest";

import { createConnection } from "../src/pool.ts";
import { openStores } from "../src/stores.ts";
import { onceIn, upkeepOf } from "../src/upkeep.ts";
import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

test("processes that write only once each also delete old rows", () => {
  const clean = vi.fn(() => Promise.resolve());
  for (let process = 0; process < 10_000; process++) {
    onceIn(256, clean)();
  }
  expect(clean).toHaveBeenCalled();
});

test("one process deletes old rows once in so many writes, and not twice at a time", async () => {
  let end = (): void => {};
  const clean = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const written = onceIn(10, clean);
  const write = (count: number): void => Array.from({ length: count }).forEach(() => written());
  write(40);
  expect(clean).toHaveBeenCalledTimes(1);
  end();
  await vi.waitFor(() => {
    write(10);
    expect(clean).toHaveBeenCalledTimes(2);
  });
});

test.skipIf(!hasPostgres)(
  "a write succeeds while a row that must be deleted is locked (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    const pool = openPool(server, proxy.port);
    const stores = openStores(pool, { channel: "tenon_test", onError: () => undefined });
    await pool.query("INSERT INTO tenon_replay SELECT 'old' || n, 1 FROM generate_series(1, 3000) AS n");
    const holder = await pool.connect();
    await holder.query("BEGIN; SELECT * FROM tenon_replay WHERE key = 'old1' FOR UPDATE");
    const added: boolean[] = [];
    for (let count = 0; count < 512; count++) {
      added.push(await stores.replay.add(`${count}`.padStart(43, "k"), Date.UTC(2100, 0)));
    }
    expect(added.every(Boolean)).toBe(true);
    await vi.waitFor(async () => {
      const { rows } = await pool.query("SELECT count(*)::int AS count FROM tenon_replay WHERE until = 1");
      const [{ count }] = rows as [{ readonly count: number }];
      expect(count).toBeLessThan(3000);
      expect(count).toBeGreaterThanOrEqual(3000 - 2 * 1024);
    });
    await holder.query("ROLLBACK");
    holder.release();
    await stores.close();
    await pool.end();
  },
);

test.skipIf(!hasPostgres)(
  "only old rows of a partitioned table are deleted (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    const pool = openPool(server, proxy.port);
    await pool.query(`CREATE TABLE parts (key text, until bigint) PARTITION BY LIST (key);
      CREATE TABLE part_old PARTITION OF parts FOR VALUES IN ('old');
      CREATE TABLE part_new PARTITION OF parts FOR VALUES IN ('new');
      INSERT INTO parts VALUES ('old', 1), ('new', ${Date.UTC(2100, 0)})`);
    const { row } = createConnection(pool, { timeoutMs: 2000, prepare: true, offsetMs: () => 0 });
    const written = upkeepOf(row, "parts", "until");
    for (let count = 0; count < 256; count++) {
      written();
    }
    await vi.waitFor(async () => {
      const { rows } = await pool.query("SELECT key FROM parts");
      expect(rows).not.toContainEqual({ key: "old" });
    });
    expect((await pool.query("SELECT key FROM parts")).rows).toEqual([{ key: "new" }]);
    await pool.query("DROP TABLE parts");
    await pool.end();
  },
);

test.skipIf(!hasPostgres)(
  "old rows are deleted though an earlier deletion gets no response (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    await using working = await startProxy(server.target);
    const [pool, other] = [openPool(server, proxy.port), openPool(server, working.port)];
    await other.query("INSERT INTO tenon_replay VALUES ('old', 1)");
    const { row } = createConnection(pool, { timeoutMs: 2000, prepare: true, offsetMs: () => 0 });
    const written = upkeepOf(row, "tenon_replay", "until", 0, 200);
    // The connection that the first deletion gets.
    await pool.query("SELECT 1");
    proxy.deafen();
    await vi.waitFor(async () => {
      for (let count = 0; count < 256; count++) {
        written();
      }
      expect((await other.query("SELECT key FROM tenon_replay")).rows).toEqual([]);
    });
    // The connection without a response is never given back.
    proxy.stop();
    await Promise.all([pool.end(), other.end()]);
  },
);
