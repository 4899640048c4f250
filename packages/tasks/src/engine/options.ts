import type { LimitRules, ResolvedLimits } from "@tenon/base";

import type { TaskClock } from "../clock.ts";
import type { TaskStore } from "../store/contract.ts";
import type { TaskDefinition } from "./definition.ts";

/** Options of `createTaskEngine`. */
export interface TaskEngineOptions {
  /**
   * Keeps the tasks. The engine does not close it. Default: a memory store of its own, which
   * it closes.
   */
  readonly store?: TaskStore | undefined;
  /** Measures time and sets timers. Default: the clock of the platform. */
  readonly clock?: TaskClock | undefined;
  /** Limits of the engine. Each limit has its own default. */
  readonly limits?: TaskEngineLimits | undefined;
  /** Receives errors that no caller gets. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Limits of a task engine. */
export interface TaskEngineLimits {
  /**
   * Lifetime of a task whose creator names none, in milliseconds. Default: `3_600_000` (1 hour).
   */
  readonly ttlMs?: number | undefined;
  /**
   * Maximum lifetime of a task in milliseconds. Longer lifetimes are shortened. `Infinity` also
   * allows tasks that never expire. Default: `86_400_000` (1 day).
   */
  readonly maxTtlMs?: number | undefined;
  /** Suggested time between two polls, in milliseconds. Default: `1_000`. */
  readonly pollIntervalMs?: number | undefined;
  /**
   * Maximum number of runs at a time. Further tasks wait in the store. `0` for a process that
   * creates tasks and leaves their runs to others. Default: `64`.
   */
  readonly maxRunning?: number | undefined;
  /**
   * How long a function keeps its slot of `maxRunning` after its run has ended, in milliseconds: it
   * ignores its signal, or does not end after an input request. Then the slot is free, and
   * `onError` gets an error. At most `maxRunning` functions are given up in this way at a time; all
   * others keep their slots. Default: `60_000`.
   */
  readonly slotGraceMs?: number | undefined;
  /** Maximum number of runs at a time for one principal other than `""`. Default: `16`. */
  readonly maxRunningPerPrincipal?: number | undefined;
  /**
   * Maximum length of `arguments` and `data` together, as JSON, in characters. Default: `262_144`.
   */
  readonly maxArgumentsLength?: number | undefined;
  /**
   * Maximum length of a result or an error, as JSON, in characters. A longer result fails the task.
   * Default: `1_000_000`.
   */
  readonly maxResultLength?: number | undefined;
  /**
   * Maximum length of one input request, one response or one step, as JSON, in characters. Default:
   * `262_144`.
   */
  readonly maxEntryLength?: number | undefined;
  /** Maximum number of input requests of a task that wait for a response. Default: `64`. */
  readonly maxQuestions?: number | undefined;
  /** Maximum number of steps and responses of a task. Default: `1_000`. */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum length of all steps and responses of a task together, as JSON, in characters. Default:
   * `4_194_304`.
   */
  readonly maxJournalLength?: number | undefined;
  /**
   * Maximum number of tasks that are watched; one that two watch counts twice. Default: `100_000`.
   */
  readonly maxWatched?: number | undefined;
  /** Minimum time between two changes by `status` of a run, in milliseconds. Default: `1_000`. */
  readonly statusIntervalMs?: number | undefined;
  /** Maximum time for one call of a back end, in milliseconds. Default: `10_000`. */
  readonly backendTimeoutMs?: number | undefined;
  /**
   * How long a lease lasts without being renewed, in milliseconds: after this time another process
   * continues a task whose process ended. Default: `30_000`.
   */
  readonly leaseMs?: number | undefined;
  /**
   * How often the engine looks for expired tasks and lost leases, in milliseconds. Default:
   * `1_000`.
   */
  readonly sweepIntervalMs?: number | undefined;
}

/** The rule of every limit. */
export const engineLimitRules: LimitRules<TaskEngineLimits> = {
  ttlMs: [3_600_000, 1],
  maxTtlMs: [86_400_000, 1],
  pollIntervalMs: [1000, 1],
  maxRunning: [64, 0],
  maxRunningPerPrincipal: [16, 1],
  slotGraceMs: [60_000, 0],
  maxArgumentsLength: [262_144, 0],
  maxResultLength: [1_000_000, 1024],
  maxEntryLength: [262_144, 0],
  maxQuestions: [64, 0],
  maxEntries: [1000, 0],
  maxJournalLength: [4_194_304, 0],
  maxWatched: [100_000, 0],
  statusIntervalMs: [1000, 0],
  backendTimeoutMs: [10_000, 1],
  leaseMs: [30_000, 1],
  sweepIntervalMs: [1000, 1],
};

/** Options of {@link TaskEngine.start}. */
export interface StartOptions {
  /** The definition of the task. The engine remembers it for further runs. */
  readonly definition: TaskDefinition;
  /** Plain JSON. Default: `{}`. */
  readonly arguments?: unknown;
  /** Further facts for the definition and for readers of the task. Plain JSON. Default: `null`. */
  readonly data?: unknown;
  /** The owner of the task. Default: `""`, any caller that knows the ID. */
  readonly principal?: string | undefined;
  /**
   * Identifies the task among those of its principal and definition, 1 to 256 characters: as long
   * as the task is kept, a second `start` returns it and creates none. Requires a `principal`.
   */
  readonly key?: string | undefined;
  /**
   * Lifetime in milliseconds; `null` asks for one without end. Default: the limit `ttlMs`. The
   * limit `maxTtlMs` applies to all of them.
   */
  readonly ttlMs?: number | null | undefined;
  /** Suggested time between two polls, in milliseconds. Default: the limit `pollIntervalMs`. */
  readonly pollIntervalMs?: number | undefined;
}

/** Options of {@link TaskEngine.cancel}. */
export interface CancelOptions {
  /**
   * How long a run may take to end after its signal aborted, in milliseconds. Until then the task
   * keeps its state, and a result that the run returns counts. Default: `0`, the task is cancelled
   * at once.
   */
  readonly graceMs?: number | undefined;
}

/** Options of {@link TaskEngine.list}. */
export interface ListTasksOptions {
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined;
  /** Maximum number of tasks, 1 to 1,000. Default: `50`. */
  readonly limit?: number | undefined;
}

/** Options of {@link TaskEngine.resume}. */
export interface ResumeOptions {
  /** The definitions of all tasks that the store may contain. */
  readonly definitions: readonly TaskDefinition[];
}

/** Options of {@link TaskEngine.close}. */
export interface CloseEngineOptions {
  /**
   * How long runs may take to end after their signals aborted, in milliseconds. Default: `5_000`.
   */
  readonly drainMs?: number | undefined;
}

/**
 * Returns the lifetime of a new task; `null` for one without end.
 *
 * @throws `TypeError` unless `wanted` is positive, `null` or `undefined`.
 */
export function lifetime(
  wanted: number | null | undefined,
  { ttlMs, maxTtlMs }: ResolvedLimits<TaskEngineLimits>,
): number | null {
  if (typeof wanted === "number" && !(wanted > 0)) {
    throw new TypeError(`ttlMs must be a positive number or null; got ${wanted}.`);
  }
  const ms = Math.min(wanted === undefined ? ttlMs : (wanted ?? Infinity), maxTtlMs);
  return Number.isFinite(ms) ? ms : null;
}
