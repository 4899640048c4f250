import { createSqliteStores } from "@tenon/store-sqlite";
import Libsql from "libsql";
import { expect, test } from "vitest";

test("leases that ended a day ago leave no rows, and their fences are not used again", async () => {
  const database = new Libsql(":memory:");
  let now = Date.UTC(2026, 10, 24);
  const { leases } = createSqliteStores(database, { clock: { date: () => now } });
  const released = await leases.acquire("released", "a", 1000);
  await leases.release("released", released?.fence ?? 0);
  await leases.acquire("expired", "a", 1000);
  now += 3_600_000;
  await leases.acquire("new", "a", 1000);
  const count = (): unknown => database.prepare("SELECT count(*) AS count FROM tenon_lease").get();
  expect(count()).toMatchObject({ count: 3 });
  now += 86_400_000;
  await leases.acquire("new", "a", 1000);
  expect(count()).toMatchObject({ count: 1 });
  const again = await leases.acquire("released", "a", 1000);
  expect(again?.fence).toBeGreaterThan(released?.fence ?? Infinity);
});

test("a lease that was released is free in a process that starts after the clock was set back", async () => {
  const database = new Libsql(":memory:");
  const today = Date.UTC(2026, 10, 24);
  const { leases } = createSqliteStores(database, { clock: { date: () => today } });
  const first = await leases.acquire("key", "a", 1000);
  await leases.release("key", first?.fence ?? 0);
  const later = createSqliteStores(database, { clock: { date: () => today - 3_600_000 } }).leases;
  expect(await later.current("key")).toBeUndefined();
  const second = await later.acquire("key", "b", 1000);
  expect(second?.fence).toBeGreaterThan(first?.fence ?? Infinity);
});
