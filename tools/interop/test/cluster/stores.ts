import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { memoryStore } from "@tenon/sdk/auth/client";
import { createMemoryEventStore } from "@tenon/sdk/http";
import { createSqliteStores } from "@tenon/store-sqlite";
import { createMemoryBus, createMemoryLeases, createMemorySessionStore } from "@tenon/stores";
import { hasPostgres, startPostgres, type PostgresServer } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis, type RedisServer } from "@tenon/test-support/redis";
import Database from "libsql";

import { connectStores, openPool, schema, type ConnectedStores, type StorePlace } from "./connect.ts";

/** Stores that the nodes of a cluster share, and how to make them fail. */
export interface SharedStores extends AsyncDisposable {
  /** Where processes find them; absent for stores in the memory of this process. */
  readonly place?: StorePlace | undefined;
  /** Connects a node of this process. */
  connect(): Promise<ConnectedStores>;
}

const none = { stop: () => undefined, restore: () => undefined };

let redis: Promise<RedisServer> | undefined;
let postgres: Promise<PostgresServer> | undefined;

/** Stops the servers that the tests of a file share. */
export async function stopServers(): Promise<void> {
  await (await redis)?.[Symbol.asyncDispose]();
  await (await postgres)?.[Symbol.asyncDispose]();
  redis = undefined;
  postgres = undefined;
}

function storesAt(place: StorePlace): SharedStores {
  return { place, connect: () => connectStores(place), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Makes the stores of each kind; `undefined` where there is no server for them. */
export const kinds: Readonly<Record<string, (() => Promise<SharedStores>) | undefined>> = {
  memory() {
    const sessions = createMemorySessionStore();
    const stores = {
      sessions,
      events: createMemoryEventStore(),
      bus: createMemoryBus(),
      leases: createMemoryLeases(),
    };
    const connected = {
      stores,
      auth: memoryStore(),
      ...none,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    return Promise.resolve({
      connect: () => Promise.resolve(connected),
      [Symbol.asyncDispose]: () => stores.bus.close(),
    });
  },
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), "cluster-"));
    // SQLite has no bus: its processes are on one machine, and here in one.
    const bus = createMemoryBus();
    return {
      connect() {
        const sqlite = createSqliteStores(new Database(join(folder, "stores.db")));
        const { sessions, events, leases, auth } = sqlite;
        return Promise.resolve({
          stores: { sessions, events, leases, bus },
          auth,
          ...none,
          [Symbol.asyncDispose]: () => sqlite.close(),
        });
      },
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    };
  },
  redis: !hasRedis
    ? undefined
    : async () => {
        const { target } = await (redis ??= startRedis());
        return storesAt({ kind: "redis", target, prefix: `cluster-${crypto.randomUUID()}:` });
      },
  postgres: !hasPostgres
    ? undefined
    : async () => {
        const { target, user, password, database } = await (postgres ??= startPostgres());
        const place = { kind: "postgres", target, user, password, database } as const;
        await using proxy = await startProxy(target);
        const pool = openPool(place, proxy.port);
        const migration = new URL("../../../../packages/store-postgres/migrations/001.sql", import.meta.url);
        await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
        await pool.query(readFileSync(migration, "utf8"));
        await pool.end();
        return storesAt(place);
      },
};
