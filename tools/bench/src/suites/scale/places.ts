import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import { createPostgresStores, type PostgresStores } from "@tenon/store-postgres";
import { createRedisStores, type RedisStores } from "@tenon/store-redis";
import { hasPostgres, startPostgres } from "@tenon/test-support/postgres";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import pg from "pg";
import { createClient } from "redis";

/** A server with stores, and its stores on one client. */
export interface Place extends AsyncDisposable {
  readonly name: "Redis" | "PostgreSQL";
  readonly stores: RedisStores | PostgresStores;
  /** Reads a record of a session by the bare client. */
  roundTrip(id: string): Promise<void>;
}

/** Calls may wait in line: their number shows it. */
const limits = { maxTasksPerPrincipal: Infinity, maxEventsPerSession: 10_000, timeoutMs: 60_000 };

const onError = (error: unknown): void => console.error(error);

async function onRedis(): Promise<Place> {
  const server = await startRedis();
  const { target } = server;
  const socket =
    "path" in target && target.path !== undefined ? { path: target.path, tls: false as const } : target;
  const client = createClient({ socket: socket as { path: string; tls: false } });
  await client.on("error", onError).connect();
  const stores = createRedisStores(client, { prefix: "bench:", limits, onError });
  return {
    name: "Redis",
    stores,
    async roundTrip(id) {
      const fields = await client.hGetAll(`bench:{sessions}:s:${id}`);
      check(Object.keys(fields).length > 0);
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** PostgreSQL with commits that wait for the disk. */
async function onPostgres(): Promise<Place> {
  const server = await startPostgres({ isDurable: true });
  const { target, user, password, database } = server;
  const at = "path" in target && target.path !== undefined ? { host: dirname(target.path) } : target;
  const options = "-c search_path=tenon_bench -c client_min_messages=warning";
  const pool = new pg.Pool({ ...(at as { host: string }), user, password, database, options, max: 32 });
  await pool.query("DROP SCHEMA IF EXISTS tenon_bench CASCADE; CREATE SCHEMA tenon_bench");
  const migration = new URL("../../../../../packages/store-postgres/migrations/001.sql", import.meta.url);
  await pool.query(readFileSync(migration, "utf8"));
  const stores = createPostgresStores(pool, { channel: "tenon_bench", limits, onError });
  return {
    name: "PostgreSQL",
    stores,
    async roundTrip(id) {
      const { rows } = await pool.query("SELECT * FROM tenon_session WHERE id = $1", [JSON.stringify(id)]);
      check(rows.length === 1);
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await pool.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

function check(isFound: boolean): void {
  if (!isFound) {
    throw new Error("Expected the record of a session, got none.");
  }
}

/** Starts the servers that this machine has. */
export async function startPlaces(): Promise<Place[]> {
  return [...(hasRedis ? [await onRedis()] : []), ...(hasPostgres ? [await onPostgres()] : [])];
}
