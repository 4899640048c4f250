/** The updates of the resources of a mounted server. */
export interface Updates {
  /** Wakes the watches of a resource that has changed. */
  tell(uri: string): void;
  /** Yields the updates of a resource until the signal aborts. Updates in between are one. */
  watch(uri: string, signal: AbortSignal): AsyncGenerator<{ readonly uri: string }>;
}

/** Creates updates without watches. */
export function createUpdates(): Updates {
  const watchers = new Map<string, Set<() => void>>();

  return {
    tell: (uri) => watchers.get(uri)?.forEach((wake) => wake()),
    async *watch(uri, signal) {
      let isPending = false;
      let wake: () => void = () => {};
      const onUpdate = (): void => {
        isPending = true;
        wake();
      };
      const onAbort = (): void => wake();
      const own = watchers.get(uri) ?? new Set();
      watchers.set(uri, own.add(onUpdate));
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
        if (own.size === 0 && watchers.get(uri) === own) {
          watchers.delete(uri);
        }
      }
    },
  };
}
