import type { LimitRules } from "@tenon/base";

/** Limits of `createPostgresStores`. */
export interface PostgresStoreLimits {
  /**
   * Maximum time of a call, in milliseconds. After it the call rejects with `STORE_FAILED`, and may
   * still have an effect. Default: `2_000`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time after which an event can no longer be resumed from, in milliseconds. Default: `600_000`
   * (10 minutes).
   */
  readonly eventTtlMs?: number | undefined;
  /**
   * Maximum number of events of a session, which may be exceeded by 64. The oldest events are
   * deleted. Default: `10_000`.
   */
  readonly maxEventsPerSession?: number | undefined;
  /**
   * Maximum number of tasks of a principal other than `""`. Above it `create` rejects with
   * `STORE_FULL`. Simultaneous calls of several processes may exceed it. Default: `1_000`.
   */
  readonly maxTasksPerPrincipal?: number | undefined;
  /**
   * Maximum number of calls of each kind that wait to be run by one statement together: appended
   * events, and tasks that are read, created or changed. Above it appends reject with `STORE_FULL`,
   * and calls of tasks with `STORE_FAILED`. Default: `10_000`.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * Maximum length of these calls together, for each kind, in UTF-16 code units. One call may
   * exceed it. Default: `64_000_000`.
   */
  readonly maxWaitingLength?: number | undefined;
}

/** The rule of every limit. */
export const limitRules: LimitRules<PostgresStoreLimits> = {
  timeoutMs: [2000, 1],
  eventTtlMs: [600_000, 1, Number.MAX_SAFE_INTEGER],
  maxEventsPerSession: [10_000, 1, Number.MAX_SAFE_INTEGER],
  maxTasksPerPrincipal: [1000, 1],
  maxWaiting: [10_000, 1],
  maxWaitingLength: [64_000_000, 1],
};
