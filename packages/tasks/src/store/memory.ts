import { checkOptionNames } from "@tenon/base";

import { dateOf, type TaskClock } from "../clock.ts";
import { TaskError } from "../error.ts";
import type { TaskStore } from "./contract.ts";
import { storeLimitRules, type TaskStoreLimits } from "./limits.ts";
import { TaskTable } from "./table.ts";
import { Watchers } from "./watchers.ts";

/** Options of {@link createMemoryTaskStore}. */
export interface MemoryTaskStoreOptions {
  /** Limits of the stored tasks. Each limit has its own default. */
  readonly limits?: TaskStoreLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: TaskClock | undefined;
}

/**
 * Creates a store that keeps tasks in memory: for one process, as long as it lives.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createMemoryTaskStore(options: MemoryTaskStoreOptions = {}): TaskStore {
  checkOptionNames("createMemoryTaskStore", options, "limits clock", storeLimitRules);
  const watchers = new Watchers();
  const table = new TaskTable(options.limits, dateOf(options.clock), ({ id, before, after }) => {
    if (after !== undefined && after.record.version !== before?.record.version) {
      watchers.notify(id, after.record.version);
    }
  });
  let isClosed = false;

  /** Runs one step and makes its errors rejections. */
  function step<T>(run: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (isClosed) {
        throw new TaskError("CLOSED", "Task store is closed.");
      }
      resolve(run());
    });
  }

  const close = (): Promise<void> => {
    isClosed = true;
    watchers.clear();
    return Promise.resolve();
  };
  return {
    create: (task, lease) => step(() => table.create(task, lease)),
    get: (id, principal) => step(() => table.get(id, principal)),
    update: (id, patch, condition) => step(() => table.update(id, patch, condition)),
    journal: (id) => step(() => table.row(id)?.journal ?? []),
    append: (id, fence, entries) => step(() => table.append(id, fence, entries)),
    claim: (request) => step(() => table.claim(request)),
    renew: (id, fence, leaseMs) => step(() => table.renew(id, fence, leaseMs)),
    list: (principal, after, limit) => step(() => table.list(principal, after, limit)),
    sweep: (limit) => step(() => table.sweep(limit)),
    count: () => step(() => table.count()),
    watch: (changed) => step(() => watchers.add(changed)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
