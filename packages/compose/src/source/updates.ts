import { canonicalOf } from "./spellings.ts";

/** The updates of the resources of a mounted server. */
export interface Updates {
  /** Wakes the watches of a resource that has changed. */
  tell(uri: string): void;
  /** Yields the updates of a resource until the signal aborts. Updates in between are one. */
  watch(uri: string, signal: AbortSignal): AsyncGenerator<{ readonly uri: string }>;
}

/** Creates updates without watches. */
export function createUpdates(): Updates {
  /** By canonical URI: servers announce changes in the spelling of their own. */
  const watchers = new Map<string, Set<() => void>>();

  return {
    tell: (uri) => watchers.get(canonicalOf(uri))?.forEach((wake) => wake()),
    async *watch(uri, signal) {
      let isPending = false;
      let wake: () => void = () => {};
      const onUpdate = (): void => {
        isPending = true;
        wake();
      };
      const onAbort = (): void => wake();
      const key = canonicalOf(uri);
      const own = watchers.get(key) ?? new Set();
      watchers.set(key, own.add(onUpdate));
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        while (!signal.aborted) {
          if (!isPending) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          if (isPending && !signal.aborted) {
            isPending = false;
            yield { uri };
          }
        }
      } finally {
        signal.removeEventListener("abort", onAbort);
        own.delete(onUpdate);
        if (own.size === 0 && watchers.get(key) === own) {
          watchers.delete(key);
        }
      }
    },
  };
}
