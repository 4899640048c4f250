import { checkOptionNames, kindOf, readLimits, systemClock, type ResolvedLimits } from "@tenon/base";
import { steadyDate, type SharedStores, type StoreClock } from "@tenon/stores";
import type { TaskStore } from "@tenon/tasks";

import { createAuthStore } from "./auth.ts";
import { createConnection, type Connection, type SqliteDatabase } from "./database.ts";
import { createEventStore } from "./events.ts";
import { createLeases } from "./leases.ts";
import { limitRules, type SqliteStoreLimits } from "./limits.ts";
import { createRateLimits } from "./rates.ts";
import { createReplayStore } from "./replay.ts";
import { schema } from "./schema.ts";
import { createSessionStore } from "./sessions.ts";
import { createTasks } from "./tasks.ts";

/** Options of {@link createSqliteStores}. */
export interface SqliteStoresOptions {
  /** Limits of the stores. Each limit has its own default. */
  readonly limits?: SqliteStoreLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: StoreClock | undefined;
}

/** The stores of one database. `close` does not close the database. */
export interface SqliteStores extends SharedStores {
  readonly tasks: TaskStore;
}

/**
 * Creates the stores of a database, for the processes of one machine, and its tables if they do not
 * exist. The database is switched to WAL mode. A write is durable when it resolves, unless
 * `PRAGMA synchronous` of the connection is lower than `FULL`, the default of SQLite.
 *
 * Statements run on the calling thread. The connection must not be used for other transactions.
 *
 * @throws `TypeError` for options that do not exist or are out of range; errors of the database.
 */
export function createSqliteStores(
  database: SqliteDatabase,
  options: SqliteStoresOptions = {},
): SqliteStores {
  checkOptionNames("createSqliteStores", options, "limits clock", limitRules);
  const limits = readLimits(options.limits, limitRules);
  if (typeof (database as Partial<SqliteDatabase> | undefined)?.exec !== "function") {
    const expected = "Database must be one of node:sqlite, better-sqlite3 or libsql";
    throw new TypeError(`${expected}; got ${kindOf(database)}.`);
  }
  // Set first, because several processes may create the tables at the same time.
  database.exec(`PRAGMA busy_timeout = ${Math.ceil(Math.min(limits.timeoutMs, 2_147_483_647))}`);
  database.exec("PRAGMA journal_mode = WAL");
  const connection = createConnection(database, steadyDate(options.clock));
  connection.write(() => database.exec(schema));
  return storesOf(connection, limits);
}

/** Creates the stores of a connection whose tables exist. */
export function storesOf(connection: Connection, limits: ResolvedLimits<SqliteStoreLimits>): SqliteStores {
  const tasks = createTasks(connection, limits, systemClock);
  const events = createEventStore(connection, limits);
  const sessions = createSessionStore(connection);
  const leases = createLeases(connection);
  const replay = createReplayStore(connection);
  const rates = createRateLimits(connection);
  const auth = createAuthStore(connection, leases);
  const close = async (): Promise<void> => {
    await Promise.all([auth, tasks, events, sessions, leases, replay, rates].map((store) => store.close()));
  };
  return { tasks, events, sessions, leases, replay, rates, auth, close, [Symbol.asyncDispose]: close };
}
