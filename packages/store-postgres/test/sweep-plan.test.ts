import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { afterAll, expect, test } from "vitest";

import { openStores } from "../src/stores.ts";
import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

test.skipIf(!hasPostgres)(
  "a sweep returns no more sessions than allowed, whatever plan PostgreSQL makes (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    const pool = openPool(server, proxy.port);
    // PostgreSQL then runs a subquery once for each row.
    pool.on("connect", (client) => {
      void client.query(
        "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_hashagg = off; SET enable_sort = off; SET enable_indexscan = off; SET enable_bitmapscan = off",
      );
    });
    let offset = 0;
    const stores = openStores(
      pool,
      { channel: "tenon_test", onError: () => undefined },
      { offsetMs: () => offset },
    );
    for (let count = 0; count < 20; count++) {
      const opening = '{"protocolVersion":"x"}';
      const session = { id: `s${count}`, principal: "ada", opening, facts: "{}", node: "n1" };
      await stores.sessions.create(session, 60_000);
    }
    offset = 70_000;
    const sizes: number[] = [];
    for (let round = 0; round < 4; round++) {
      sizes.push((await stores.sessions.sweep(3)).length);
    }
    await stores.close();
    await pool.end();
    expect(sizes).toEqual([3, 3, 3, 3]);
  },
);
