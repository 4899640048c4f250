/**
 * Stores on PostgreSQL: tasks, events, sessions, a bus, leases, used proofs, rate limits and
 * tokens, for any number of processes. The tables are in `migrations` of the package.
 *
 * @packageDocumentation
 */

import type { PostgresPool } from "./pool.ts";
import { openStores, type PostgresStores, type PostgresStoresOptions } from "./stores.ts";

export type { PostgresStoreLimits } from "./limits.ts";
export type {
  PostgresClient,
  PostgresNotification,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from "./pool.ts";
export type { PostgresStores, PostgresStoresOptions } from "./stores.ts";

/**
 * Creates the stores of a `Pool` of `pg`. Every step is one statement, and all times are measured
 * by the server. The bus and watched tasks each take a connection out of the pool. The tables must
 * exist: run the files in `migrations` of this package in their order, with any tool.
 *
 * @param pool - It is not closed with the stores.
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createPostgresStores(
  pool: PostgresPool,
  options: PostgresStoresOptions = {},
): PostgresStores {
  return openStores(pool, options);
}
