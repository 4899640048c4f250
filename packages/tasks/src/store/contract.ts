import type { JournalEntry, NewTask, TaskPatch, TaskRecord } from "./record.ts";

/** The holder and the duration of a lease. */
export interface LeaseRequest {
  /** Identifies an engine. */
  readonly worker: string;
  /** Duration of the lease, in milliseconds. */
  readonly leaseMs: number;
}

/** Which tasks {@link TaskStore.claim} may return. */
export interface ClaimRequest extends LeaseRequest {
  /** Maximum number of tasks. */
  readonly limit: number;
  /** Only tasks of definitions with these names. By default any task. */
  readonly names?: readonly string[] | undefined;
  /** No task of these principals. */
  readonly except?: readonly string[] | undefined;
}

/** Conditions of an update, and entries that are written with it. */
export interface UpdateCondition {
  /** The version that the record must have. */
  readonly version: number;
  /** The lease that must be the newest one of the task and not released. */
  readonly fence?: number | undefined;
  /** Entries to append to the journal in the same atomic step, as by `append`. */
  readonly append?: readonly JournalEntry[] | undefined;
}

/**
 * The reason why an update was refused: the version differs, the lease was lost, the task is in a
 * final state, or it does not exist.
 */
export type UpdateRefusal = "conflict" | "fenced" | "ended" | "gone";

/** A position in the list of a principal. */
export type ListPosition = Pick<TaskRecord, "createdAt" | "id">;

/** The result of {@link TaskStore.sweep}. */
export interface Swept {
  /** Number of ended tasks that were deleted. */
  readonly deleted: number;
  /** Unfinished tasks whose lifetime has ended. */
  readonly overdue: readonly TaskRecord[];
}

/** How many tasks of a store have not ended. */
export interface TaskCounts {
  /** Working, without a run: the task waits until an engine has room, or its engine has died. */
  readonly queued: number;
  /** Working, with a run. */
  readonly running: number;
  /** The task waits for responses to its input requests, or for another system. */
  readonly waiting: number;
}

/**
 * Keeps tasks and their journals. Several processes may share a store, unless its documentation
 * excludes it. Every method is one atomic step, and sees what earlier steps wrote
 * (read-your-writes). A result is durable as far as the store promises. All times are measured by
 * the store. `taskStoreConformance` of `@tenon/tasks/testing` checks a store.
 *
 * Every method rejects with a `TaskError`: `STORE_FULL` if there is no room, `STORE_FAILED` if the
 * store cannot be used, `CLOSED` after `close`. A rejected write has no effect, or, if the
 * connection to the store was lost, one that the next read shows.
 */
export interface TaskStore extends AsyncDisposable {
  /**
   * Creates a task, optionally with a lease, so that its creator can run it at once. The lease has
   * the fence 1 and counts as the first attempt.
   *
   * @returns The record, when it is durable.
   * @throws `TaskError` `TASK_EXISTS` if the ID is taken.
   */
  create(task: NewTask, lease?: LeaseRequest): Promise<TaskRecord>;

  /**
   * Returns a task, or `undefined` if it does not exist, has ended and reached `expiresAt`, or
   * belongs to another principal.
   *
   * @param principal - `undefined` for the engine itself, which may read any task.
   */
  get(id: string, principal: string | undefined): Promise<TaskRecord | undefined>;

  /**
   * Changes a task if the conditions hold, which are checked in the order `gone`, `ended`,
   * `fenced`, `conflict`. A task that is not `working` afterwards has no lease. A task that is
   * `working` afterwards, has no lease and is not external can be claimed.
   *
   * An update to a final state with an outcome of at most 1,024 characters never fails with
   * `STORE_FULL` because of a limit of the store.
   */
  update(id: string, patch: TaskPatch, condition: UpdateCondition): Promise<TaskRecord | UpdateRefusal>;

  /** Returns the journal of a task, oldest entry first; empty if the task does not exist. */
  journal(id: string): Promise<readonly JournalEntry[]>;

  /**
   * Appends to the journal of a task. An entry whose kind and key exist already is ignored.
   *
   * @returns False, and nothing is written, unless the fence belongs to the newest lease of the
   *   task, and this lease was not released.
   */
  append(id: string, fence: number, entries: readonly JournalEntry[]): Promise<boolean>;

  /**
   * Leases tasks that are `working`, not external, and without a lease that still lasts. `fence`
   * and `attempt` of each grow by 1. Of the tasks of one principal, those that have been claimable
   * for the longest time come first.
   */
  claim(request: ClaimRequest): Promise<readonly TaskRecord[]>;

  /** Extends a lease to `leaseMs` from now. @returns False if it is lost. */
  renew(id: string, fence: number, leaseMs: number): Promise<boolean>;

  /**
   * Lists the tasks of a principal by `createdAt`, then `id`. Tasks that `get` would not return are
   * left out.
   *
   * @param after - The task after which to start; it need not exist any longer.
   * @param limit - Maximum number of tasks.
   */
  list(principal: string, after: ListPosition | undefined, limit: number): Promise<readonly TaskRecord[]>;

  /**
   * Deletes ended tasks that reached `expiresAt`, and returns unfinished ones that did. Unfinished
   * tasks are not changed, and are returned again until they change.
   *
   * @param limit - Maximum number of tasks, deleted and returned together.
   */
  sweep(limit: number): Promise<Swept>;

  /**
   * Counts the tasks of all principals that have not ended. For metrics: it may read every task. A
   * store need not have it.
   */
  count?(): Promise<TaskCounts>;

  /**
   * Calls `changed` with the ID and the new version after a task was created or updated, by any
   * process. A call is a hint: it may come late, twice or never. Not called after the result was
   * disposed of.
   *
   * @param changed - Must not throw.
   */
  watch(changed: (id: string, version: number) => void): Promise<AsyncDisposable>;

  /**
   * Releases what the store holds. Further calls of other methods reject with `CLOSED`. Idempotent.
   */
  close(): Promise<void>;
}
