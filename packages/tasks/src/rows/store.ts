import { isTaskError, TaskError } from "../error.ts";
import type { TaskStore, UpdateRefusal } from "../store/contract.ts";
import { isFinal, type JournalEntry, type TaskRecord } from "../store/record.ts";
import { createdRecord, isGone, patchedRecord } from "../store/transition.ts";
import type { TaskRows } from "./contract.ts";

/** Maximum number of attempts to change a task while other changes come first. */
const maxAttempts = 1000;

/** A change that was refused, or the next record and entries. */
type Change = UpdateRefusal | { readonly record: TaskRecord; readonly entries: readonly JournalEntry[] };

/**
 * Makes a `TaskStore` from the rows of a database. It checks the conditions of every change; the
 * rows compare and swap.
 */
export function createTaskStore(rows: TaskRows): TaskStore {
  const count = rows.count?.bind(rows);
  let closing: Promise<void> | undefined;

  async function step<T>(run: () => Promise<T>): Promise<T> {
    if (closing !== undefined) {
      throw new TaskError("CLOSED", "Task store is closed.");
    }
    try {
      return await run();
    } catch (error) {
      if (isTaskError(error) || error instanceof TypeError) {
        throw error;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new TaskError("STORE_FAILED", `Task store failed: ${reason}`, { cause: error });
    }
  }

  /** Changes a task, again while other changes come first. */
  async function change(
    id: string,
    next: (record: TaskRecord, now: number) => Change,
  ): Promise<TaskRecord | UpdateRefusal> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { row, now } = await rows.read(id);
      if (row === undefined || isGone(row.record, now)) {
        return "gone";
      }
      const changed = next(row.record, now);
      if (typeof changed === "string") {
        return changed;
      }
      if (await rows.replace(row, changed.record, changed.entries)) {
        return changed.record;
      }
    }
    throw new TaskError("STORE_FAILED", `Other changes of task ${id} came first ${maxAttempts} times.`);
  }

  const close = (): Promise<void> => {
    closing ??= rows.close();
    return closing;
  };

  return {
    create: (task, lease) =>
      step(async () => {
        const record = createdRecord(task, lease, await rows.now());
        if (!(await rows.insert(record))) {
          throw new TaskError("TASK_EXISTS", `A task with the ID ${task.id} exists.`);
        }
        return record;
      }),
    get: (id, principal) =>
      step(async () => {
        const { row, now } = await rows.read(id);
        const isFound =
          row !== undefined &&
          !isGone(row.record, now) &&
          (principal === undefined || row.record.principal === principal);
        return isFound ? row.record : undefined;
      }),
    update: (id, patch, { version, fence, append = [] }) =>
      step(() =>
        change(id, (record, now) => {
          if (isFinal(record.state)) {
            return "ended";
          }
          if (fence !== undefined && !hasLease(record, fence)) {
            return "fenced";
          }
          return version === record.version
            ? { record: patchedRecord(record, patch, now), entries: append }
            : "conflict";
        }),
      ),
    journal: (id) => step(() => rows.journal(id)),
    append: (id, fence, entries) =>
      step(async () => {
        const appended = await change(id, (record) =>
          hasLease(record, fence) ? { record, entries } : "fenced",
        );
        return typeof appended !== "string";
      }),
    claim: (request) => step(() => rows.claim(request)),
    renew: (id, fence, leaseMs) => step(() => rows.renew(id, fence, leaseMs)),
    list: (principal, after, limit) => step(() => rows.list(principal, after, limit)),
    sweep: (limit) => step(() => rows.sweep(limit)),
    ...(count === undefined ? {} : { count: () => step(count) }),
    watch: (changed) => step(() => rows.watch(changed)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function hasLease({ fence, worker }: TaskRecord, expected: number): boolean {
  return worker !== undefined && fence === expected;
}
