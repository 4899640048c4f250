import type { LimitRules } from "@tenon/base";

/** Limits of `createRedisStores`. */
export interface RedisStoreLimits {
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
   * Maximum number of events of a session, which Redis may exceed by about 100. The oldest events
   * are deleted. Default: `10_000`.
   */
  readonly maxEventsPerSession?: number | undefined;
  /**
   * Maximum number of tasks of a principal other than `""`. Above it `create` rejects with
   * `STORE_FULL`. Default: `1_000`.
   */
  readonly maxTasksPerPrincipal?: number | undefined;
}

/** The rule of every limit. */
export const limitRules: LimitRules<RedisStoreLimits> = {
  timeoutMs: [2000, 1],
  eventTtlMs: [600_000, 1],
  maxEventsPerSession: [10_000, 1, Number.MAX_SAFE_INTEGER],
  maxTasksPerPrincipal: [1000, 1],
};
