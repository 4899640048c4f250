import { readLimits, type ResolvedLimits } from "@tenon/base";

import { TaskError } from "../error.ts";
import type {
  ClaimRequest,
  LeaseRequest,
  ListPosition,
  Swept,
  TaskCounts,
  UpdateCondition,
  UpdateRefusal,
} from "./contract.ts";
import { Expiry } from "./expiry.ts";
import { storeLimitRules, type TaskStoreLimits } from "./limits.ts";
import { Owners, type Owner } from "./owners.ts";
import { isFinal, type JournalEntry, type NewTask, type TaskPatch, type TaskRecord } from "./record.ts";
import { rowOf, type Row } from "./row.ts";
import { createdRecord, isGone, isRunnable, leasedRecord, patchedRecord } from "./transition.ts";

/** A row that was added, replaced or removed. */
export interface TableChange {
  readonly id: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** Length of an outcome that is written even if there is no room. */
const smallOutcome = 1024;

/**
 * All tasks of a store in the memory of one process, with the rules of `TaskStore`. Its methods are
 * synchronous, so each of them is one atomic step.
 */
export class TaskTable {
  readonly #rows = new Map<string, Row>();
  readonly #owners = new Owners();
  readonly #expiry = new Expiry();
  readonly #limits: ResolvedLimits<TaskStoreLimits>;
  readonly #date: () => number;
  readonly #onChange: (change: TableChange) => void;
  #last = 0;

  /**
   * A table without tasks.
   *
   * @param date - Milliseconds since 1970.
   * @param onChange - Called with each change, after it was made.
   */
  constructor(
    limits: TaskStoreLimits | undefined,
    date: () => number,
    onChange: (change: TableChange) => void,
  ) {
    this.#limits = readLimits(limits, storeLimitRules);
    this.#date = date;
    this.#onChange = onChange;
  }

  /** Number of tasks. */
  get size(): number {
    return this.#rows.size;
  }

  /** All rows. */
  rows(): IterableIterator<Row> {
    return this.#rows.values();
  }

  /** The row of a task, including an expired task. */
  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Replaces a row without checks and without reporting it: to load rows, and to undo a change. */
  put(id: string, after: Row | undefined): void {
    const before = this.#rows.get(id);
    if (before !== undefined) {
      this.#expiry.remove(before);
      this.#owners.remove(before, after !== undefined);
    }
    if (after === undefined) {
      this.#rows.delete(id);
    } else {
      this.#rows.set(id, after);
      this.#expiry.add(after);
      this.#owners.add(after);
    }
  }

  /** See `TaskStore.create`. */
  create(task: NewTask, lease: LeaseRequest | undefined): TaskRecord {
    if (this.#rows.has(task.id)) {
      throw new TaskError("TASK_EXISTS", `A task with the ID ${task.id} exists.`);
    }
    const row = rowOf(createdRecord(task, lease, this.#now()));
    this.#makeRoom(task.principal, 1, row.length);
    this.#set(task.id, row);
    return row.record;
  }

  /** See `TaskStore.get`. */
  get(id: string, principal: string | undefined): TaskRecord | undefined {
    const record = this.#find(id)?.record;
    return principal === undefined || record?.principal === principal ? record : undefined;
  }

  /** See `TaskStore.update`. */
  update(
    id: string,
    patch: TaskPatch,
    { version, fence, append }: UpdateCondition,
  ): TaskRecord | UpdateRefusal {
    const before = this.#find(id);
    if (before === undefined) {
      return "gone";
    }
    if (isFinal(before.record.state)) {
      return "ended";
    }
    if (fence !== undefined && !hasLease(before.record, fence)) {
      return "fenced";
    }
    if (version !== before.record.version) {
      return "conflict";
    }
    const row = rowOf(patchedRecord(before.record, patch, this.#now()), before, append);
    if ((row.record.outcome?.length ?? Infinity) > smallOutcome) {
      this.#makeRoom(row.record.principal, 0, row.length - before.length);
    }
    this.#set(id, row);
    return row.record;
  }

  /** See `TaskStore.append`. */
  append(id: string, fence: number, entries: readonly JournalEntry[]): boolean {
    const before = this.#find(id);
    if (before === undefined || !hasLease(before.record, fence)) {
      return false;
    }
    const row = rowOf(before.record, before, entries);
    this.#makeRoom(row.record.principal, 0, row.length - before.length);
    this.#set(id, row);
    return true;
  }

  /** See `TaskStore.claim`. */
  claim({ limit, names, except = [], ...lease }: ClaimRequest): readonly TaskRecord[] {
    const now = this.#now();
    const claimed: TaskRecord[] = [];
    const isWanted = ({ principal, name }: TaskRecord): boolean =>
      !except.includes(principal) && (names === undefined || names.includes(name));
    for (const id of [...this.#owners.leased]) {
      const row = this.#rows.get(id);
      if (
        claimed.length < limit &&
        row !== undefined &&
        row.record.leaseUntil <= now &&
        isWanted(row.record)
      ) {
        claimed.push(this.#lease(row, lease, now));
      }
    }
    // Owners take turns, so that none waits for all tasks of another.
    for (const owner of this.#owners.waiting()) {
      if (claimed.length >= limit) {
        break;
      }
      const row = this.#firstReady(owner, isWanted);
      if (row !== undefined) {
        claimed.push(this.#lease(row, lease, now));
        this.#owners.passed(owner);
      }
    }
    return claimed;
  }

  /** See `TaskStore.renew`. */
  renew(id: string, fence: number, leaseMs: number): boolean {
    const before = this.#find(id);
    if (before === undefined || !hasLease(before.record, fence)) {
      return false;
    }
    this.#set(id, { ...before, record: { ...before.record, leaseUntil: this.#now() + leaseMs } });
    return true;
  }

  /** See `TaskStore.list`. */
  list(principal: string, after: ListPosition | undefined, limit: number): readonly TaskRecord[] {
    const found: TaskRecord[] = [];
    for (const id of this.#owners.find(principal)?.all ?? []) {
      const record = this.#find(id)?.record;
      if (record !== undefined && (after === undefined || order(record, after) > 0)) {
        found.push(record);
      }
    }
    return found.sort(order).slice(0, limit);
  }

  /** See `TaskStore.sweep`. */
  sweep(limit: number): Swept {
    const now = this.#now();
    const ended: string[] = [];
    const overdue: TaskRecord[] = [];
    for (const id of this.#expiry.due(now)) {
      const record = this.#rows.get(id)?.record;
      if (ended.length + overdue.length >= limit) {
        break;
      }
      if (record?.expiresAt !== undefined && record.expiresAt !== null && record.expiresAt <= now) {
        if (isFinal(record.state)) {
          ended.push(id);
        } else {
          overdue.push(record);
        }
      }
    }
    for (const id of ended) {
      this.#set(id, undefined);
    }
    return { deleted: ended.length, overdue };
  }

  /** See `TaskStore.count`. */
  count(): TaskCounts {
    const now = this.#now();
    const counts = { queued: 0, running: 0, waiting: 0 };
    for (const { record } of this.#rows.values()) {
      if (isRunnable(record)) {
        counts[record.leaseUntil > now ? "running" : "queued"]++;
      } else if (!isFinal(record.state)) {
        counts.waiting++;
      }
    }
    return counts;
  }

  #find(id: string): Row | undefined {
    const row = this.#rows.get(id);
    return row === undefined || isGone(row.record, this.#now()) ? undefined : row;
  }

  #lease(row: Row, lease: LeaseRequest, now: number): TaskRecord {
    const record = leasedRecord(row.record, lease, now);
    this.#set(record.id, { ...row, record });
    return record;
  }

  #firstReady(owner: Owner, isWanted: (record: TaskRecord) => boolean): Row | undefined {
    for (const id of owner.ready) {
      const row = this.#rows.get(id);
      if (row !== undefined && isWanted(row.record)) {
        return row;
      }
    }
    return undefined;
  }

  /** Deletes ended tasks until there is room, or throws before it has deleted one. */
  #makeRoom(principal: string, tasks: number, length: number): void {
    if (length <= 0) {
      return;
    }
    const { maxTasks, maxTasksPerPrincipal, maxLength, maxLengthPerPrincipal } = this.#limits;
    const own = this.#owners.find(principal);
    const owners = this.#owners;
    if (principal !== "") {
      require(own?.all.size ?? 0, own?.ended.size ?? 0, tasks, maxTasksPerPrincipal, "maxTasksPerPrincipal");
      require(own?.length ?? 0, own?.endedLength ??
        0, length, maxLengthPerPrincipal, "maxLengthPerPrincipal");
    }
    require(this.#rows.size, owners.ended.size, tasks, maxTasks, "maxTasks");
    require(owners.length, owners.endedLength, length, maxLength, "maxLength");
    const isOwnFull = (): boolean =>
      principal !== "" &&
      own !== undefined &&
      (own.all.size + tasks > maxTasksPerPrincipal || own.length + length > maxLengthPerPrincipal);
    while (isOwnFull() || this.#rows.size + tasks > maxTasks || owners.length + length > maxLength) {
      const [oldest] = own === undefined || own.ended.size === 0 ? owners.ended : own.ended;
      if (oldest === undefined) {
        return;
      }
      this.#set(oldest, undefined);
    }
  }

  #set(id: string, after: Row | undefined): void {
    const before = this.#rows.get(id);
    this.put(id, after);
    this.#onChange({ id, before, after });
  }

  /** The time, which never goes backwards, so that tasks are listed in the order of creation. */
  #now(): number {
    this.#last = Math.max(this.#last, this.#date());
    return this.#last;
  }
}

function hasLease({ fence, worker }: TaskRecord, expected: number): boolean {
  return worker !== undefined && fence === expected;
}

function order(a: ListPosition, b: ListPosition): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function require(used: number, ended: number, added: number, most: number, limit: string): void {
  if (used - ended + added > most) {
    throw new TaskError("STORE_FULL", `Task store is full: the limit is ${most} (${limit}).`);
  }
}
