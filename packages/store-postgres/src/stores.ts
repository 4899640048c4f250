import { checkOptionNames, errorSink, readLimits } from "@tenon/base";
import type { Bus, SharedStores } from "@tenon/stores";
import type { TaskStore } from "@tenon/tasks";

import { createAuthStore } from "./auth.ts";
import { createBus } from "./bus.ts";
import { createEventStore } from "./events.ts";
import { createLeases } from "./leases.ts";
import { limitRules, type PostgresStoreLimits } from "./limits.ts";
import { createConnection, type PostgresPool } from "./pool.ts";
import { createRateLimits } from "./rates.ts";
import { createReplayStore } from "./replay.ts";
import { createSessionStore } from "./sessions.ts";
import { createTasks } from "./tasks.ts";

/** Options of {@link createPostgresStores}. */
export interface PostgresStoresOptions {
  /**
   * Beginning of the channels of notifications: lower-case letters, digits and `_`. Servers that
   * use different schemas of one database need different ones. Default: `"tenon"`.
   */
  readonly channel?: string | undefined;
  /**
   * Whether statements are prepared, which saves their analysis. A pooler that works by transaction
   * must support it: otherwise set it to `false`. Default: `true`.
   */
  readonly prepare?: boolean | undefined;
  /** Limits of the stores. Each limit has its own default. */
  readonly limits?: PostgresStoreLimits | undefined;
  /** Receives errors of listeners and of unreadable messages. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The stores of one pool. `close` also closes their connections for notifications.
 */
export interface PostgresStores extends SharedStores {
  readonly tasks: TaskStore;
  readonly bus: Bus;
}

/** Parts that tests replace. */
export interface PostgresParts {
  /** Returns how much to add to the time of the server, in milliseconds. */
  readonly offsetMs?: () => number;
}

/** Creates stores. See `createPostgresStores`. */
export function openStores(
  pool: PostgresPool,
  options: PostgresStoresOptions,
  { offsetMs = () => 0 }: PostgresParts = {},
): PostgresStores {
  checkOptionNames("createPostgresStores", options, "channel prepare limits onError", limitRules);
  const limits = readLimits(options.limits, limitRules);
  const { channel = "tenon", prepare = true } = options;
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(channel)) {
    throw new TypeError("channel must have 1 to 41 lower-case letters, digits and _.");
  }
  const onError = errorSink(options.onError);
  const connection = createConnection(pool, { timeoutMs: limits.timeoutMs, prepare, offsetMs });
  const tasks = createTasks(connection, `${channel}_task`, limits, onError);
  const events = createEventStore(connection, limits);
  const sessions = createSessionStore(connection);
  const bus = createBus(connection, `${channel}_message`, onError);
  const leases = createLeases(connection);
  const replay = createReplayStore(connection);
  const rates = createRateLimits(connection);
  const auth = createAuthStore(connection, leases);
  const close = async (): Promise<void> => {
    await Promise.all(
      [auth, tasks, events, sessions, bus, leases, replay, rates].map((store) => store.close()),
    );
  };
  return { tasks, events, sessions, bus, leases, replay, rates, auth, close, [Symbol.asyncDispose]: close };
}
