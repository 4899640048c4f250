/**
 * Stores on Redis 6.2 and later, or Valkey: tasks, events, sessions, a bus, leases, used proofs,
 * rate limits and tokens, for any number of processes.
 *
 * @packageDocumentation
 */

import type { RedisClient } from "./link.ts";
import { openStores, type RedisStores, type RedisStoresOptions } from "./stores.ts";

export type { RedisStoreLimits } from "./limits.ts";
export type {
  IoRedisClient,
  IoRedisSubscriber,
  NodeRedisClient,
  NodeRedisSubscriber,
  RedisClient,
} from "./link.ts";
export type { RedisStores, RedisStoresOptions } from "./stores.ts";

/**
 * Creates the stores of a client of `redis`, `ioredis` or `iovalkey`. Every step is one script, and
 * all times are measured by the server. The bus and watched tasks use connections of their own,
 * which `client.duplicate()` opens.
 *
 * @param client - A connected client. It is not closed with the stores.
 * @throws `TypeError` for another client, and for options that do not exist or are out of range.
 */
export function createRedisStores(client: RedisClient, options: RedisStoresOptions = {}): RedisStores {
  return openStores(client, options);
}
