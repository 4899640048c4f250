import { readFileSync } from "node:fs";

import type { StoreSubjectFactory } from "@tenon/stores/testing";
import { startPostgres, type PostgresServer } from "@tenon/test-support/postgres";
import { startProxy, type Proxy } from "@tenon/test-support/proxy";
import pg from "pg";

import { openStores, type PostgresStores } from "../src/stores.ts";

const migration = new URL("../migrations/001.sql", import.meta.url);

const tables = [
  "tenon_session",
  "tenon_event_session",
  "tenon_event",
  "tenon_message",
  "tenon_lease",
  "tenon_auth",
  "tenon_replay",
  "tenon_rate",
  "tenon_task",
];

/** The server that the tests of a file share, and the connection that empties it before each. */
interface Shared extends AsyncDisposable {
  readonly server: PostgresServer;
  readonly pool: pg.Pool;
}

let shared: Promise<Shared> | undefined;

async function share(): Promise<Shared> {
  const server = await startPostgres();
  const proxy = await startProxy(server.target);
  const pool = openPool(server, proxy.port);
  await pool.query("DROP SCHEMA IF EXISTS tenon_test CASCADE; CREATE SCHEMA tenon_test");
  await pool.query(readFileSync(migration, "utf8"));
  return {
    server,
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Two pools of the shared server, each as a process has it, behind a proxy. */
interface Link extends AsyncDisposable {
  readonly proxy: Proxy;
  readonly pools: readonly [pg.Pool, pg.Pool];
}

/** The link of the last test: the server starts a process for each connection. */
let idle: Link | undefined;

async function link(server: PostgresServer): Promise<Link> {
  const proxy = await startProxy(server.target);
  const pools = [openPool(server, proxy.port), openPool(server, proxy.port)] as const;
  return {
    proxy,
    pools,
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()));
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Stops the server that the tests of this file share. */
export async function stopServer(): Promise<void> {
  await idle?.[Symbol.asyncDispose]();
  idle = undefined;
  await (await shared)?.[Symbol.asyncDispose]();
  shared = undefined;
}

/** The server that the tests of this file share, without the rows of earlier tests. */
export async function emptyServer(): Promise<PostgresServer> {
  const { server, pool } = await (shared ??= share());
  await pool.query(tables.map((table) => `DELETE FROM ${table}`).join("; "));
  return server;
}

/** A pool of connections to a port of 127.0.0.1, in a schema for tests. */
export function openPool({ user, password, database }: PostgresServer, port: number): pg.Pool {
  const options = "-c search_path=tenon_test -c client_min_messages=warning";
  const pool = new pg.Pool({ host: "127.0.0.1", port, user, password, database, options });
  pool.on("error", () => undefined);
  return pool;
}

/** Two pools of one server behind a proxy. `advance` adds to the time of the server. */
export function onPostgres<Store>(
  storeOf: (stores: PostgresStores) => Store,
  timeoutMs = 60_000,
): StoreSubjectFactory<Store> {
  return async () => {
    const started = await emptyServer();
    const used = idle ?? (await link(started));
    idle = undefined;
    const { proxy, pools } = used;
    const limits = { maxTasksPerPrincipal: 20_000, maxEventsPerSession: 20_000, timeoutMs };
    let offset = 0;
    let wasCut = false;
    const opened: PostgresStores[] = [];
    const reopened: pg.Pool[] = [];
    const open = (pool: pg.Pool): Store => {
      const options = { channel: "tenon_test", limits, onError: () => undefined };
      const stores = openStores(pool, options, { offsetMs: () => offset });
      opened.push(stores);
      return storeOf(stores);
    };
    return {
      store: open(pools[0]),
      other: open(pools[1]),
      advance(ms) {
        offset += ms;
        return Promise.resolve();
      },
      reopen() {
        const pool = openPool(started, proxy.port);
        reopened.push(pool);
        return Promise.resolve(open(pool));
      },
      stop() {
        wasCut = true;
        proxy.stop();
        return Promise.resolve();
      },
      restore() {
        proxy.restore();
        return Promise.resolve();
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(opened.map((stores) => stores.close()));
        await Promise.all(reopened.map((pool) => pool.end()));
        // The pools may not know yet which of their connections were cut.
        if (wasCut) {
          await used[Symbol.asyncDispose]();
        } else {
          idle = used;
        }
      },
    };
  };
}
