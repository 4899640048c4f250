import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createSqliteStores, type SqliteDatabase, type SqliteStores } from "@tenon/store-sqlite";
import {
  authStoreConformance,
  eventStoreConformance,
  leasesConformance,
  rateLimitsConformance,
  replayStoreConformance,
  sessionStoreConformance,
  type StoreSubjectFactory,
} from "@tenon/stores/testing";
import { taskStoreConformance } from "@tenon/tasks/testing";
import Libsql from "libsql";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Opened {
  readonly database: SqliteDatabase & { close(): unknown };
  readonly stores: SqliteStores;
}

/** Two connections to one file, with a clock that only tests advance. */
function inFile<Store>(storeOf: (stores: SqliteStores) => Store): StoreSubjectFactory<Store> {
  let files = 0;
  return async () => {
    files++;
    const path = join(mkdtempSync(join(folder, "f-")), `${files}.db`);
    let now = Date.UTC(2026, 10, 24);
    const opened: Opened[] = [];
    const open = (file: string): SqliteStores => {
      const database = new Libsql(file);
      database.exec("PRAGMA synchronous = OFF");
      const limits = { pollIntervalMs: 5, maxEventsPerSession: 20_000, maxTasksPerPrincipal: 20_000 };
      const stores = createSqliteStores(database, { clock: { date: () => now }, limits });
      opened.push({ database, stores });
      return stores;
    };
    return {
      store: storeOf(open(path)),
      other: storeOf(open(path)),
      advance: (ms) => {
        now += ms;
        return Promise.resolve();
      },
      // As after kill -9: what the files have at this moment.
      reopen: () => {
        for (const suffix of ["", "-wal"]) {
          copyFileSync(`${path}${suffix}`, `${path}.copy${suffix}`);
        }
        return Promise.resolve(storeOf(open(`${path}.copy`)));
      },
      async [Symbol.asyncDispose]() {
        for (const { database, stores } of opened) {
          await stores.close();
          database.close();
        }
      },
    };
  };
}

const options = { durable: true, shared: true };

describe("tasks in SQLite", () => {
  const count = taskStoreConformance(
    { test },
    inFile(({ tasks }) => tasks),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(57));
});

describe("events in SQLite", () => {
  const count = eventStoreConformance(
    { test },
    inFile(({ events }) => events),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(26));
});

describe("sessions in SQLite", () => {
  const count = sessionStoreConformance(
    { test },
    inFile(({ sessions }) => sessions),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(30));
});

describe("leases in SQLite", () => {
  const count = leasesConformance(
    { test },
    inFile(({ leases }) => leases),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(22));
});

describe("used proofs in SQLite", () => {
  const count = replayStoreConformance(
    { test },
    inFile(({ replay }) => replay),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(8));
});

describe("rate limits in SQLite", () => {
  const count = rateLimitsConformance(
    { test },
    inFile(({ rates }) => rates),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(13));
});

describe("tokens and keys in SQLite", () => {
  const count = authStoreConformance(
    { test },
    inFile(({ auth }) => auth),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});
