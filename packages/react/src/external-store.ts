/** A value that components read by `useSyncExternalStore`. Its snapshots are immutable. */
export interface ExternalStore<T> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => T;
}

/** An {@link ExternalStore}, and the means to change it. */
export interface OwnedStore<T> extends ExternalStore<T> {
  /** Replaces the value, and renders the components that read it. */
  set(value: T): void;
}

/**
 * Creates a store that works while components read it. Rendering alone starts nothing.
 *
 * @param start - Called when the first component subscribes. Returns the function that ends the
 *   work when the last component has unsubscribed. In StrictMode, React unsubscribes and
 *   subscribes again at once: the work ends one task later, so that it is not started twice.
 */
export function createStore<T>(initial: T, start: () => () => void): OwnedStore<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  let end: (() => void) | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  function finish(): void {
    end?.();
    end = undefined;
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      clearTimeout(ending);
      end ??= start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) {
          clearTimeout(ending);
          ending = setTimeout(finish, 0);
        }
      };
    },
    snapshot: () => value,
    set(next) {
      value = next;
      for (const listener of [...listeners]) {
        listener();
      }
    },
  };
}
