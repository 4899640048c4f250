import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMemoryEventStore, type SessionStores } from "@tenon/sdk/http";
import { createPostgresStores } from "@tenon/store-postgres";
import { createRedisStores } from "@tenon/store-redis";
import { createSqliteStores } from "@tenon/store-sqlite";
import { createMemoryBus, createMemoryLeases, createMemorySessionStore } from "@tenon/stores";
import { hasPostgres, startPostgres, type PostgresServer } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis, type RedisServer } from "@tenon/test-support/redis";
import Database from "libsql";
import pg from "pg";
import { createClient } from "redis";

/** Stores that the nodes of a cluster share, and how to make them fail. */
export interface SharedStores extends AsyncDisposable {
  /** Connects a node. */
  connect(): Promise<ConnectedStores>;
}

/** The stores of one node. */
export interface ConnectedStores extends AsyncDisposable {
  readonly stores: Required<SessionStores>;
  /** Cuts this node off from its stores, or from the bus only. */
  stop(part: "all" | "bus"): void;
  restore(): void;
}

const onError = (): void => undefined;
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
    const connected = { stores, ...none, [Symbol.asyncDispose]: () => Promise.resolve() };
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
        const { sessions, events, leases } = sqlite;
        return Promise.resolve({
          stores: { sessions, events, leases, bus },
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
        const server = await (redis ??= startRedis());
        const prefix = `cluster-${crypto.randomUUID()}:`;
        const open = async () => {
          const proxy = await startProxy(server.target);
          const socket = { host: "127.0.0.1", port: proxy.port, reconnectStrategy: () => 20 };
          const client = createClient({ socket, disableOfflineQueue: true });
          client.on("error", onError);
          await client.connect();
          const stores = createRedisStores(client, { prefix, onError });
          return { proxy, client, stores };
        };
        return {
          async connect() {
            const [data, carrier] = [await open(), await open()];
            const { sessions, events, leases } = data.stores;
            return {
              stores: { sessions, events, leases, bus: carrier.stores.bus },
              stop(part) {
                carrier.proxy.stop();
                if (part === "all") {
                  data.proxy.stop();
                }
              },
              restore() {
                carrier.proxy.restore();
                data.proxy.restore();
              },
              async [Symbol.asyncDispose]() {
                for (const { stores, client, proxy } of [data, carrier]) {
                  await stores.close();
                  client.destroy();
                  await proxy[Symbol.asyncDispose]();
                }
              },
            };
          },
          [Symbol.asyncDispose]: () => Promise.resolve(),
        };
      },
  postgres: !hasPostgres
    ? undefined
    : async () => {
        const server = await (postgres ??= startPostgres());
        const { user, password, database } = server;
        const options = "-c search_path=tenon_cluster -c client_min_messages=warning";
        const open = async () => {
          const proxy = await startProxy(server.target);
          const pool = new pg.Pool({
            host: "127.0.0.1",
            port: proxy.port,
            user,
            password,
            database,
            options,
          });
          pool.on("error", onError);
          const stores = createPostgresStores(pool, { channel: "tenon_cluster", onError });
          return { proxy, pool, stores };
        };
        const first = await open();
        const migration = new URL("../../../../packages/store-postgres/migrations/001.sql", import.meta.url);
        await first.pool.query("DROP SCHEMA IF EXISTS tenon_cluster CASCADE; CREATE SCHEMA tenon_cluster");
        await first.pool.query(readFileSync(migration, "utf8"));
        await first.stores.close();
        await first.pool.end();
        await first.proxy[Symbol.asyncDispose]();
        return {
          async connect() {
            const [data, carrier] = [await open(), await open()];
            const { sessions, events, leases } = data.stores;
            return {
              stores: { sessions, events, leases, bus: carrier.stores.bus },
              stop(part) {
                carrier.proxy.stop();
                if (part === "all") {
                  data.proxy.stop();
                }
              },
              restore() {
                carrier.proxy.restore();
                data.proxy.restore();
              },
              async [Symbol.asyncDispose]() {
                for (const { stores, pool, proxy } of [data, carrier]) {
                  await stores.close();
                  await pool.end();
                  await proxy[Symbol.asyncDispose]();
                }
              },
            };
          },
          [Symbol.asyncDispose]: () => Promise.resolve(),
        };
      },
};
