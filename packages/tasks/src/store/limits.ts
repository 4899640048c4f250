import type { LimitRules } from "@tenon/base";

/**
 * Limits of a store that keeps everything in the memory of one process. If a task or a value would
 * exceed one of them, ended tasks are deleted before their time, the oldest first: tasks of the
 * same principal, then of other principals. If this does not suffice, the write fails with
 * `STORE_FULL`.
 */
export interface TaskStoreLimits {
  /** Maximum number of tasks. Default: `10_000`. */
  readonly maxTasks?: number | undefined;
  /** Maximum number of tasks of a principal other than `""`. Default: `1_000`. */
  readonly maxTasksPerPrincipal?: number | undefined;
  /**
   * Maximum length of all tasks and their journals together, in UTF-16 code units, with 512 for
   * each task. Default: `67_108_864` (64 Mi).
   */
  readonly maxLength?: number | undefined;
  /**
   * Maximum length of the tasks and journals of a principal other than `""`, counted as
   * `maxLength`. Default: `16_777_216` (16 Mi).
   */
  readonly maxLengthPerPrincipal?: number | undefined;
}

/** The rule of every limit. */
export const storeLimitRules: LimitRules<TaskStoreLimits> = {
  maxTasks: [10_000, 1],
  maxTasksPerPrincipal: [1000, 1],
  maxLength: [64 * 1024 * 1024, 0],
  maxLengthPerPrincipal: [16 * 1024 * 1024, 0],
};
