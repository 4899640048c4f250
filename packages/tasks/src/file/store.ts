import { open } from "node:fs/promises";

import { checkOptionNames, errorSink, readLimits } from "@tenon/base";

import { dateOf, type TaskClock } from "../clock.ts";
import { TaskError } from "../error.ts";
import type { TaskStore } from "../store/contract.ts";
import { storeLimitRules, type TaskStoreLimits } from "../store/limits.ts";
import { isFinal, type TaskRecord } from "../store/record.ts";
import { rowOf, type Row } from "../store/row.ts";
import { TaskTable, type TableChange } from "../store/table.ts";
import { Watchers } from "../store/watchers.ts";
import { decodeLog, header, type Decoded } from "./codec.ts";
import { Committer } from "./committer.ts";
import type { LeaseTimes } from "./lease.ts";
import { lock, type Lock } from "./lock.ts";
import { LogFile, syncFolder, type OpenFile } from "./log.ts";

/** Options of `openFileTaskStore`. */
export interface FileTaskStoreOptions {
  /**
   * Limits of the stored tasks. Each limit has its own default. All tasks are also kept in memory.
   */
  readonly limits?: TaskStoreLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: TaskClock | undefined;
  /**
   * Receives errors that no caller gets, such as a log that cannot be rewritten. Default:
   * `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Receives departures that were put up with, such as damaged lines. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** How much a log grows at least before it is rewritten, in bytes. */
const defaultCompactBytes = 4 * 1024 * 1024;

/** Parts that tests replace. */
export interface FileParts {
  readonly openFile?: OpenFile;
  readonly compactBytes?: number;
  readonly lease?: Partial<LeaseTimes>;
}

/** Opens a store. See `openFileTaskStore`. */
export async function openStore(
  path: string,
  options: FileTaskStoreOptions,
  { openFile = open, compactBytes = defaultCompactBytes, lease }: FileParts = {},
): Promise<TaskStore> {
  checkOptionNames("openFileTaskStore", options, "limits clock onError onWarning", storeLimitRules);
  readLimits(options.limits, storeLimitRules);
  const held = await lock(`${path}.lock`, lease);
  try {
    let decoded: Decoded | undefined;
    const log = await LogFile.open(path, openFile, (bytes) => {
      decoded = decodeLog(bytes);
      return decoded.length;
    });
    try {
      if (decoded?.isLog !== true) {
        throw new TaskError("STORE_FAILED", `${path} is not a log of tasks of version 1.`);
      }
      if (decoded.damaged > 0) {
        const warn = options.onWarning ?? console.warn;
        warn(`The log of tasks ${path} has ${decoded.damaged} damaged lines, which were left out.`);
      }
      if (log.length === 0) {
        await log.append(header, true);
        await syncFolder(path);
      }
      return storeOf(log, decoded.rows, options, compactBytes, held);
    } catch (error) {
      await log.close();
      throw error;
    }
  } catch (error) {
    await held.release();
    throw error;
  }
}

function storeOf(
  log: LogFile,
  rows: ReadonlyMap<string, Row>,
  options: FileTaskStoreOptions,
  compactBytes: number,
  held: Lock,
): TaskStore {
  const watchers = new Watchers();
  let changes: TableChange[] = [];
  const table = new TaskTable(options.limits, dateOf(options.clock), (change) => changes.push(change));
  for (const row of [...rows.values()].sort((a, b) => a.record.createdAt - b.record.createdAt)) {
    // Former leases are void, because only one process uses the log.
    const record: TaskRecord = { ...row.record, worker: undefined, leaseUntil: 0 };
    table.put(record.id, { ...rowOf(record), journal: row.journal, length: row.length });
  }
  const committer = new Committer(table, log, compactBytes, held, errorSink(options.onError));
  /** The durable write of each task that is not in the log yet. */
  const unsaved = new Map<string, Promise<void>>();
  let closing: Promise<void> | undefined;

  function requireOpen(): void {
    if (closing !== undefined) {
      throw new TaskError("CLOSED", "Task store is closed.");
    }
  }

  /** Runs a step that may change the table, and resolves when its changes are in the log. */
  async function write<T>(run: () => T): Promise<T> {
    requireOpen();
    changes = [];
    const value = run();
    const made = changes;
    changes = [];
    if (made.length === 0) {
      return value;
    }
    const isDurable = made.some(isImportant);
    const saved = committer.commit(made, isDurable);
    if (isDurable) {
      made.forEach(({ id }) => unsaved.set(id, saved));
    }
    try {
      await saved;
    } finally {
      made.forEach(({ id }) => {
        if (unsaved.get(id) === saved) {
          unsaved.delete(id);
        }
      });
    }
    for (const { id, before, after } of made) {
      if (after !== undefined && after.record.version !== before?.record.version) {
        watchers.notify(id, after.record.version);
      }
    }
    return value;
  }

  /** Runs a step that reads, again while it sees something that is not in the log yet. */
  async function read<T>(run: () => T, idsOf: (value: T) => readonly string[]): Promise<T> {
    for (;;) {
      requireOpen();
      const value = run();
      const saving = idsOf(value).flatMap((id) => unsaved.get(id) ?? []);
      if (saving.length === 0) {
        return value;
      }
      await Promise.allSettled(saving);
    }
  }

  /** A write that was refused says something about what others wrote, which must be in the log. */
  async function conditional<T>(id: string, run: () => T, isRefused: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await write(run);
      const saving = isRefused(value) ? unsaved.get(id) : undefined;
      if (saving === undefined) {
        return value;
      }
      await saving.catch(() => undefined);
    }
  }

  async function closeAll(): Promise<void> {
    watchers.clear();
    await committer.drain();
    await log.close();
    await held.release();
  }

  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  return {
    create: (task, lease) => write(() => table.create(task, lease)),
    get: (id, principal) =>
      read(
        () => table.get(id, principal),
        () => [id],
      ),
    update: (id, patch, condition) =>
      conditional(
        id,
        () => table.update(id, patch, condition),
        (result) => typeof result === "string",
      ),
    journal: (id) =>
      read(
        () => table.row(id)?.journal ?? [],
        () => [id],
      ),
    append: (id, fence, entries) =>
      conditional(
        id,
        () => table.append(id, fence, entries),
        (isDone) => !isDone,
      ),
    claim: (request) => write(() => table.claim(request)),
    // Not written, because no lease survives a restart.
    renew: (id, fence, leaseMs) =>
      read(
        () => {
          const isHeld = table.renew(id, fence, leaseMs);
          changes = [];
          return isHeld;
        },
        (isHeld) => (isHeld ? [] : [id]),
      ),
    list: (principal, after, limit) =>
      read(
        () => table.list(principal, after, limit),
        (records) => records.map(({ id }) => id),
      ),
    sweep: (limit) => write(() => table.sweep(limit)),
    count: async () => {
      requireOpen();
      return table.count();
    },
    watch: async (changed) => {
      requireOpen();
      return watchers.add(changed);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Whether a change must survive a failure of power. Messages, leases and deletions need not. */
function isImportant({ before, after }: TableChange): boolean {
  return (
    after !== undefined &&
    (before === undefined ||
      after.journal !== before.journal ||
      after.record.questions !== before.record.questions ||
      after.record.cancelRequested !== before.record.cancelRequested ||
      isFinal(after.record.state))
  );
}
