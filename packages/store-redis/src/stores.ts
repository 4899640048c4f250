import { checkOptionNames, errorSink, readLimits } from "@tenon/base";
import type { Bus, SharedStores } from "@tenon/stores";
import type { TaskStore } from "@tenon/tasks";

import { createAuthStore } from "./auth.ts";
import { createBus } from "./bus.ts";
import { createConnection } from "./connection.ts";
import { createEventStore } from "./events.ts";
import { createLeases } from "./leases.ts";
import { limitRules, type RedisStoreLimits } from "./limits.ts";
import { linkOf, type RedisClient } from "./link.ts";
import { createRateLimits } from "./rates.ts";
import { createReplayStore } from "./replay.ts";
import { createSessionStore } from "./sessions.ts";
import { createTasks } from "./tasks.ts";

/** Options of {@link createRedisStores}. */
export interface RedisStoresOptions {
  /** Beginning of all keys and channels. Default: `"tenon:"`. */
  readonly prefix?: string | undefined;
  /** Limits of the stores. Each limit has its own default. */
  readonly limits?: RedisStoreLimits | undefined;
  /** Receives errors of listeners and of subscriptions. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The stores of one client. `close` also closes their connections for subscriptions.
 */
export interface RedisStores extends SharedStores {
  readonly tasks: TaskStore;
  readonly bus: Bus;
}

/** Parts that tests replace. */
export interface RedisParts {
  /** Returns how much to add to the time of the server, in milliseconds. */
  readonly offsetMs?: () => number;
  /** Time between two checks whether a connection for subscriptions works, in milliseconds. */
  readonly aliveMs?: number;
}

/** Creates stores. See `createRedisStores`. */
export function openStores(
  client: RedisClient,
  options: RedisStoresOptions,
  { offsetMs = () => 0, aliveMs = 30_000 }: RedisParts = {},
): RedisStores {
  checkOptionNames("createRedisStores", options, "prefix limits onError", limitRules);
  const limits = readLimits(options.limits, limitRules);
  const onError = errorSink(options.onError);
  const { prefix = "tenon:" } = options;
  const { timeoutMs } = limits;
  const connection = createConnection({ link: linkOf(client), prefix, timeoutMs, aliveMs, offsetMs });
  const tasks = createTasks(connection, limits.maxTasksPerPrincipal, onError);
  const events = createEventStore(connection, limits);
  const sessions = createSessionStore(connection);
  const bus = createBus(connection, onError);
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
