import { anySignal } from "@tenon/base";

/** The updates of a resource. */
export type ResourceUpdates = AsyncIterable<{ readonly uri: string }>;

/**
 * Yields the updates of several watches at the same time, until all have ended. Updates of one URI
 * that have not been taken yet are one.
 *
 * @param watches - Get a signal that also aborts when no more updates are wanted.
 */
export async function* together(
  watches: readonly ((signal: AbortSignal) => ResourceUpdates)[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly uri: string }> {
  const done = new AbortController();
  const both = anySignal([signal, done.signal]);
  const changed = new Set<string>();
  const running = new Set(watches);
  let wake: () => void = () => {};
  const take = async (watch: (signal: AbortSignal) => ResourceUpdates): Promise<void> => {
    for await (const { uri } of watch(both)) {
      changed.add(uri);
      wake();
    }
  };
  for (const watch of running) {
    const ended = (): void => {
      running.delete(watch);
      wake();
    };
    void take(watch).then(ended, ended);
  }
  try {
    while (running.size > 0 || changed.size > 0) {
      for (const uri of changed) {
        changed.delete(uri);
        yield { uri };
      }
      if (running.size > 0 && changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    done.abort();
  }
}
