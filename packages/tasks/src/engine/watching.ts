import { takeLateFailure } from "@tenon/base";

import { TaskError } from "../error.ts";
import type { TaskRecord } from "../store/record.ts";
import type { Setting } from "./setting.ts";

/** Maximum number of records that are read at a time to be passed to listeners. */
const maxReading = 16;

/** A receiver of changes of tasks. `undefined`: the task no longer exists. */
export interface Watcher {
  readonly principal: string;
  changed(record: TaskRecord | undefined): unknown;
  /** The engine closes. */
  closed?(reason: TaskError): void;
}

/** One task of one watcher. */
interface Watched {
  readonly watcher: Watcher;
  /** The version that was passed on last. */
  version: number;
  /** The version that the watch began with. */
  first: number;
}

/** A watch of one watcher. */
export interface Watch {
  /** Stops watching a task. */
  remove(id: string): void;
  /**
   * Called with the first state of a task; `undefined` stops watching it.
   *
   * @returns Whether it is watched.
   */
  began(id: string, record: TaskRecord | undefined): boolean;
}

/**
 * The watchers of each task. A change of a task costs one look-up, and one reading if it is
 * watched, whatever the number of tasks that are watched.
 */
export class Watching {
  readonly #setting: Setting;
  readonly #tasks = new Map<string, Set<Watched>>();
  /** Tasks that have changed since they were read last. */
  readonly #changed = new Set<string>();
  #reading = 0;
  #size = 0;

  /** A registry without watchers. */
  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** The tasks that are watched. */
  ids(): IterableIterator<string> {
    return this.#tasks.keys();
  }

  /**
   * Begins to watch tasks, whether they exist or not.
   *
   * @throws `TaskError` `LIMIT_EXCEEDED`.
   */
  add(ids: Iterable<string>, watcher: Watcher): Watch {
    const { maxWatched } = this.#setting.limits;
    const wanted = new Set(ids);
    if (this.#size + wanted.size > maxWatched) {
      throw new TaskError("LIMIT_EXCEEDED", `${maxWatched} tasks are watched already (maxWatched).`);
    }
    const own = new Map<string, Watched>();
    for (const id of wanted) {
      const watched = { watcher, version: 0, first: 0 };
      const all = this.#tasks.get(id);
      own.set(id, watched);
      this.#size++;
      if (all === undefined) {
        this.#tasks.set(id, new Set([watched]));
      } else {
        all.add(watched);
      }
    }
    const remove = (id: string): void => {
      const watched = own.get(id);
      const all = this.#tasks.get(id);
      if (watched !== undefined && own.delete(id) && all?.delete(watched) === true) {
        this.#size--;
        if (all.size === 0) {
          this.#tasks.delete(id);
          this.#changed.delete(id);
        }
      }
    };
    return {
      remove,
      began(id, record) {
        const watched = own.get(id);
        if (record === undefined || watched === undefined) {
          remove(id);
          return false;
        }
        watched.first = record.version;
        return true;
      },
    };
  }

  /**
   * A task was read without a reason. Its watchers are called if it has changed since their watch
   * began: the store may have lost the notice of the change.
   */
  read(id: string, record: TaskRecord | undefined): void {
    this.#deliver(id, record, ({ first }) => record === undefined || record.version > first);
  }

  /** A task has changed. */
  notify(id: string): void {
    if (this.#tasks.has(id)) {
      this.#changed.add(id);
      this.#readNext();
    }
  }

  /** Notifies all watchers that the engine closes, and removes them. */
  close(reason: TaskError): void {
    const watchers = new Set(
      [...this.#tasks.values()].flatMap((all) => [...all].map(({ watcher }) => watcher)),
    );
    this.#tasks.clear();
    this.#changed.clear();
    for (const watcher of watchers) {
      watcher.closed?.(reason);
    }
  }

  #readNext(): void {
    for (const id of this.#changed) {
      if (this.#reading >= maxReading) {
        return;
      }
      this.#changed.delete(id);
      this.#reading++;
      this.#setting.store
        .get(id, undefined)
        .then((record) => this.#deliver(id, record))
        .catch(this.#setting.onError)
        .finally(() => {
          this.#reading--;
          this.#readNext();
        });
    }
  }

  #deliver(
    id: string,
    record: TaskRecord | undefined,
    isWanted: (watched: Watched) => boolean = () => true,
  ): void {
    for (const watched of [...(this.#tasks.get(id) ?? [])].filter(isWanted)) {
      const { watcher, version } = watched;
      const isOwn = record === undefined || record.principal === watcher.principal;
      if (isOwn && (record === undefined || record.version > version)) {
        watched.version = record?.version ?? version;
        try {
          takeLateFailure(watcher.changed(record), this.#setting.onError);
        } catch (error) {
          this.#setting.onError(error);
        }
      }
    }
  }
}
