import type { ClaimRequest, ListPosition, Swept, TaskCounts } from "../store/contract.ts";
import type { JournalEntry, TaskRecord } from "../store/record.ts";

/** A task as a database keeps it. */
export interface TaskRow {
  readonly record: TaskRecord;
  /** Changes with every write of the row, including leases. */
  readonly revision: number;
}

/** The result of {@link TaskRows.read}. */
export interface ReadRow {
  /** `undefined` if the task does not exist. */
  readonly row: TaskRow | undefined;
  /** The time of the database, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * The steps of a database from which {@link createTaskStore} makes a `TaskStore`. Each step is
 * atomic, and durable when it resolves. The database determines all times. An error other than
 * `TaskError` becomes `STORE_FAILED`.
 */
export interface TaskRows {
  /** Returns the time, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Reads a task, and the time at which it was read. */
  read(id: string): Promise<ReadRow>;
  /** Creates a task. @returns False if its ID is taken. */
  insert(record: TaskRecord): Promise<boolean>;
  /**
   * Replaces a task and appends to its journal, if the task still has the revision of `before`. An
   * entry whose kind and key exist already is ignored. Announces the version if it changed.
   *
   * @returns False, and nothing is written, if the revision differs.
   */
  replace(before: TaskRow, after: TaskRecord, entries: readonly JournalEntry[]): Promise<boolean>;
  /** See `TaskStore.journal`. */
  journal(id: string): Promise<readonly JournalEntry[]>;
  /** See `TaskStore.claim`. */
  claim(request: ClaimRequest): Promise<readonly TaskRecord[]>;
  /** See `TaskStore.renew`. */
  renew(id: string, fence: number, leaseMs: number): Promise<boolean>;
  /** See `TaskStore.list`. */
  list(principal: string, after: ListPosition | undefined, limit: number): Promise<readonly TaskRecord[]>;
  /** See `TaskStore.sweep`. */
  sweep(limit: number): Promise<Swept>;
  /** See `TaskStore.count`. */
  count?(): Promise<TaskCounts>;
  /** See `TaskStore.watch`. */
  watch(changed: (id: string, version: number) => void): Promise<AsyncDisposable>;
  /** Releases what the rows hold. Called once. */
  close(): Promise<void>;
}
