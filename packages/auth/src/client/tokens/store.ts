import { unlessAborted } from "@tenon/base";
import type { AuthStore, Stored } from "@tenon/stores";

import { keepNewest } from "../../shared/keep-newest.ts";

export type { AuthStore, PutOptions, Stored } from "@tenon/stores";

/** Maximum number of values in a {@link memoryStore}. */
const maxValues = 10_000;

/**
 * Creates a store that keeps everything in memory, for one process. It holds at most 10,000 values;
 * a further value replaces the value that was written the longest time ago. It ignores `expiresAt`,
 * after which a store may drop a value: each value is kept until it is replaced or deleted.
 */
export function memoryStore(): AuthStore {
  const values = new Map<string, Stored>();
  const tails = new Map<string, Promise<void>>();
  let lastGeneration = 0;
  return {
    get: (key) => Promise.resolve(values.get(key)),
    put(key, value, { ifGeneration } = {}) {
      const present = values.get(key)?.generation ?? "absent";
      if (ifGeneration !== undefined && ifGeneration !== present) {
        return Promise.resolve("conflict");
      }
      lastGeneration++;
      keepNewest(values, key, { value, generation: lastGeneration }, maxValues);
      return Promise.resolve(lastGeneration);
    },
    delete(key, { ifGeneration } = {}) {
      const present = values.get(key)?.generation;
      const isMeant = present !== undefined && (ifGeneration === undefined || ifGeneration === present);
      return Promise.resolve(isMeant && values.delete(key));
    },
    lock: (key, signal) => lockIn(tails, key, signal),
  };
}

/** Waits in line for a key: each holder's promise is the one that the next waits for. */
export async function lockIn(
  tails: Map<string, Promise<void>>,
  key: string,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  signal.throwIfAborted();
  const before = tails.get(key) ?? Promise.resolve();
  const { promise, resolve: release } = openPromise();
  const own = before.then(() => promise);
  tails.set(key, own);
  void own.then(() => {
    if (tails.get(key) === own) {
      tails.delete(key);
    }
  });
  try {
    await unlessAborted(before, signal);
  } catch (error) {
    release();
    throw error;
  }
  return {
    [Symbol.asyncDispose]: () => {
      release();
      return Promise.resolve();
    },
  };
}

function openPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
