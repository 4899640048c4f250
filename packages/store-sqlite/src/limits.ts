import type { LimitRules } from "@tenon/base";

/** Limits of `createSqliteStores`. */
export interface SqliteStoreLimits {
  /**
   * Maximum time that a write waits for another process, in milliseconds. It blocks the thread.
   * Default: `1_000`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time after which an event can no longer be resumed from, in milliseconds. Default: `600_000`
   * (10 minutes).
   */
  readonly eventTtlMs?: number | undefined;
  /** Maximum number of events of a session. The oldest event is deleted. Default: `10_000`. */
  readonly maxEventsPerSession?: number | undefined;
  /**
   * Maximum number of tasks of a principal other than `""`. Above it `create` rejects with
   * `STORE_FULL`. Default: `1_000`.
   */
  readonly maxTasksPerPrincipal?: number | undefined;
  /**
   * Time between two searches for tasks that other processes have changed, in milliseconds, while
   * tasks are watched. Default: `500`.
   */
  readonly pollIntervalMs?: number | undefined;
}

/** The rule of every limit. */
export const limitRules: LimitRules<SqliteStoreLimits> = {
  timeoutMs: [1000, 0],
  eventTtlMs: [600_000, 0],
  maxEventsPerSession: [10_000, 1],
  maxTasksPerPrincipal: [1000, 1],
  pollIntervalMs: [500, 1],
};
