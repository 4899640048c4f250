import { createPostgresStores } from "@tenon/store-postgres";
import {
  authStoreConformance,
  busConformance,
  eventStoreConformance,
  leasesConformance,
  rateLimitsConformance,
  replayStoreConformance,
  sessionStoreConformance,
} from "@tenon/stores/testing";
import { taskStoreConformance } from "@tenon/tasks/testing";
import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { afterAll, describe, expect, test } from "vitest";

import { emptyServer, onPostgres, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

const options = { durable: true, shared: true, stops: true };
const runner = { test: test.skipIf(!hasPostgres) };

describe("tasks on PostgreSQL (skipped without a server)", () => {
  const count = taskStoreConformance(
    runner,
    onPostgres(({ tasks }) => tasks),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(57));
});

describe("events on PostgreSQL (skipped without a server)", () => {
  const count = eventStoreConformance(
    runner,
    onPostgres(({ events }) => events),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(29));
});

describe("sessions on PostgreSQL (skipped without a server)", () => {
  const count = sessionStoreConformance(
    runner,
    onPostgres(({ sessions }) => sessions),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(33));
});

describe("a bus on PostgreSQL (skipped without a server)", () => {
  const count = busConformance(
    runner,
    onPostgres(({ bus }) => bus),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("leases on PostgreSQL (skipped without a server)", () => {
  const count = leasesConformance(
    runner,
    onPostgres(({ leases }) => leases),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("used proofs on PostgreSQL (skipped without a server)", () => {
  const count = replayStoreConformance(
    runner,
    onPostgres(({ replay }) => replay),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(10));
});

describe("rate limits on PostgreSQL (skipped without a server)", () => {
  const count = rateLimitsConformance(
    runner,
    onPostgres(({ rates }) => rates),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(15));

  runner.test("a request that waited for others is allowed if the bucket has room for it", async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    const pool = openPool(server, proxy.port);
    await using stores = createPostgresStores(pool);
    const rule = { burst: 5, perSecond: 0.01 };
    await stores.rates.take("key", rule);
    const other = await pool.connect();
    await other.query("BEGIN; SELECT 1 FROM tenon_rate FOR UPDATE");
    const waiting = stores.rates.take("key", rule);
    const locked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(locked)).rows.length).toBe(1);
    // The others began later and came first: four of five are taken at a later millisecond.
    const later = "1 + ceil(extract(epoch FROM clock_timestamp()) * 1000)";
    await other.query(`SELECT pg_sleep(0.002); UPDATE tenon_rate SET full_at = ${later} + 400000`);
    await other.query("SELECT pg_sleep(0.003); COMMIT");
    other.release();
    expect(await waiting).toMatchObject({ allowed: true, remaining: 0 });
    await stores.close();
    await pool.end();
  });
});

describe("tokens and keys on PostgreSQL (skipped without a server)", () => {
  const count = authStoreConformance(
    runner,
    onPostgres(({ auth }) => auth),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(27));
});
