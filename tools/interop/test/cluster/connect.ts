import type { NetConnectOpts } from "node:net";

import type { AuthStore } from "@tenon/sdk/auth/client";
import type { SessionStores } from "@tenon/sdk/http";
import { createPostgresStores, type PostgresStores } from "@tenon/store-postgres";
import { createRedisStores, type RedisStores } from "@tenon/store-redis";
import { startProxy, type Proxy } from "@tenon/test-support/proxy";
import pg from "pg";
import { createClient } from "redis";

/** Where the nodes of a cluster find their stores. It can be passed to another process. */
export type StorePlace =
  | { readonly kind: "redis"; readonly target: NetConnectOpts; readonly prefix: string }
  | {
      readonly kind: "postgres";
      readonly target: NetConnectOpts;
      readonly user: string;
      readonly password: string | undefined;
      readonly database: string;
    };

/** The connections of a node that fail. */
export type Part = "all" | "bus";
/** How they fail: their ends learn it, or bytes get lost without a trace. */
export type Failure = "stop" | "drop";

/** The stores of one node. */
export interface ConnectedStores extends AsyncDisposable {
  readonly stores: Required<SessionStores>;
  /** Keeps the keys of `requestState`. */
  readonly auth: AuthStore;
  /** Makes the connections to the stores fail, or to the bus only. */
  stop(part: Part, how: Failure): void;
  restore(): void;
}

/** Stores on one connection behind a proxy. */
export interface Opened extends AsyncDisposable {
  readonly stores: PostgresStores | RedisStores;
  readonly proxy: Proxy;
}

const onError = (): void => undefined;
/** `createClient` makes a class with hundreds of commands each time; `duplicate` uses it again. */
const redis = createClient({ disableOfflineQueue: true });
/** The schema of PostgreSQL, and the channel. */
export const schema = "tenon_cluster";

/** A pool of PostgreSQL whose tables are in the schema of the clusters. */
export function openPool(place: StorePlace & { readonly kind: "postgres" }, port: number): pg.Pool {
  const { user, password, database } = place;
  const options = `-c search_path=${schema} -c client_min_messages=warning`;
  const pool = new pg.Pool({ host: "127.0.0.1", port, user, password, database, options });
  pool.on("error", onError);
  return pool;
}

/** Connects to the stores of a place. @param timeoutMs - Maximum time of a call. */
export async function openStores(place: StorePlace, timeoutMs = 2000): Promise<Opened> {
  const limits = { timeoutMs };
  const proxy = await startProxy(place.target);
  if (place.kind === "postgres") {
    const pool = openPool(place, proxy.port);
    const stores = createPostgresStores(pool, { channel: schema, limits, onError });
    return {
      stores,
      proxy,
      async [Symbol.asyncDispose]() {
        await stores.close();
        await pool.end();
        await proxy[Symbol.asyncDispose]();
      },
    };
  }
  const socket = { host: "127.0.0.1", port: proxy.port, reconnectStrategy: () => 20 };
  const client = redis.duplicate({ socket });
  client.on("error", onError);
  await client.connect();
  const stores = createRedisStores(client, { prefix: place.prefix, limits, onError });
  return {
    stores,
    proxy,
    async [Symbol.asyncDispose]() {
      await stores.close();
      client.destroy();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Connects a node: the bus has a connection of its own, so that it can be cut alone. */
export async function connectStores(place: StorePlace): Promise<ConnectedStores> {
  const [data, carrier] = [await openStores(place), await openStores(place)];
  const { sessions, events, leases, auth } = data.stores;
  return {
    stores: { sessions, events, leases, bus: carrier.stores.bus },
    auth,
    stop(part, how) {
      carrier.proxy[how]();
      if (part === "all") {
        data.proxy[how]();
      }
    },
    restore() {
      carrier.proxy.restore();
      data.proxy.restore();
    },
    async [Symbol.asyncDispose]() {
      await data[Symbol.asyncDispose]();
      await carrier[Symbol.asyncDispose]();
    },
  };
}
