/**
 * Stores in a SQLite file: tasks, events, sessions, leases, used proofs, rate limits and tokens,
 * for the processes of one machine.
 *
 * @packageDocumentation
 */

export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./database.ts";
export type { SqliteStoreLimits } from "./limits.ts";
export { createSqliteStores, type SqliteStores, type SqliteStoresOptions } from "./stores.ts";
