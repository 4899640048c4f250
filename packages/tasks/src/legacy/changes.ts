/** Maximum number of remembered notifications of tasks that no response has named yet. */
const maxEarly = 256;

/** The listeners for changes of tasks that the remote peer keeps. */
export interface TaskChanges {
  /** A task has changed. */
  changed(id: unknown): void;
  /**
   * Calls a function when a task changes, at once if it already has.
   *
   * @returns The function that ends this.
   */
  listen(id: string, changed: () => void): () => void;
  /** Calls all functions. */
  all(): void;
}

/** Makes the changes of one session. */
export function taskChanges(): TaskChanges {
  const listening = new Map<unknown, Set<() => void>>();
  /** Tasks without a listener that have changed, the newest last. */
  const early = new Set<unknown>();
  return {
    changed: (id) => {
      const own = listening.get(id);
      if (own !== undefined) {
        own.forEach((changed) => changed());
        return;
      }
      early.delete(id);
      early.add(id);
      const [oldest] = early;
      if (early.size > maxEarly) {
        early.delete(oldest);
      }
    },
    listen: (id, changed) => {
      const own = listening.get(id) ?? new Set();
      listening.set(id, own.add(changed));
      if (early.delete(id)) {
        changed();
      }
      return () => {
        own.delete(changed);
        if (own.size === 0 && listening.get(id) === own) {
          listening.delete(id);
        }
      };
    },
    all: () => {
      listening.forEach((own) => own.forEach((changed) => changed()));
    },
  };
}
