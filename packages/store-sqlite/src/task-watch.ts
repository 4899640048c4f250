import type { Clock } from "@tenon/base";

/** The changes of tasks in a database, which are numbered. */
interface Changes {
  /** The number of the newest change. */
  last(): number;
  /** The changes after a number, oldest first. */
  after(
    change: number,
  ): readonly { readonly change: number; readonly id: string; readonly version: number }[];
}

/** Calls listeners with changes: its own at once, changes of other processes when it polls. */
export interface TaskWatch {
  /** Adds a listener. @returns Removes it. */
  add(listener: (id: string, version: number) => void): AsyncDisposable;
  /** Reports a change of this process. */
  changed(id: string, version: number): void;
  /** Removes all listeners. */
  close(): void;
}

/** Creates a {@link TaskWatch}, which polls while it has listeners. */
export function createTaskWatch(changes: Changes, intervalMs: number, timers: Clock): TaskWatch {
  const listeners = new Set<(id: string, version: number) => void>();
  let last = 0;
  let timer: unknown;

  function changed(id: string, version: number): void {
    for (const listener of listeners) {
      listener(id, version);
    }
  }

  function poll(): void {
    try {
      for (const { change, id, version } of changes.after(last)) {
        last = change;
        changed(id, version);
      }
    } catch {
      // The next poll reads these changes too.
    }
    timer = timers.setTimeout(poll, intervalMs, false);
  }

  function stop(): void {
    timers.clearTimeout(timer);
    timer = undefined;
  }

  return {
    add(listener) {
      const called = (id: string, version: number): void => listener(id, version);
      listeners.add(called);
      if (timer === undefined) {
        last = changes.last();
        timer = timers.setTimeout(poll, intervalMs, false);
      }
      return {
        [Symbol.asyncDispose]() {
          if (listeners.delete(called) && listeners.size === 0) {
            stop();
          }
          return Promise.resolve();
        },
      };
    },
    changed,
    close() {
      listeners.clear();
      stop();
    },
  };
}
