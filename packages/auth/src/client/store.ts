import { unlessAborted } from "@tenon/jsonrpc2/transport";

/** A value of an {@link AuthStore}. */
export interface Stored {
  readonly value: string;
  /** Changes with every write of this key. */
  readonly generation: number;
}

/** Conditions and lifetime of a write to an {@link AuthStore}. */
export interface PutOptions {
  /**
   * The value is written only if the stored generation is this one, or, for `"absent"`, if the key
   * has no value. By default it is written in any case.
   */
  readonly ifGeneration?: number | "absent" | undefined;
  /**
   * When the store may drop the value, in milliseconds since 1970. By default the value is kept.
   */
  readonly expiresAt?: number | undefined;
}

/**
 * Keeps registrations, tokens, flows and keys. Values are secret. Several processes may share a
 * store. All conditions are checked and applied in one atomic step. Keys are printable ASCII of at
 * most 100 characters, values JSON of at most 64 KiB.
 */
export interface AuthStore {
  /** Returns the value of a key, or `undefined` if it has none. */
  get(key: string): Promise<Stored | undefined>;
  /**
   * Writes a value and returns its new generation, or `"conflict"` if the condition does not hold.
   */
  put(key: string, value: string, options?: PutOptions): Promise<number | "conflict">;
  /**
   * Deletes a value. Returns whether the key had a value, and, if `ifGeneration` is given, this
   * generation.
   */
  delete(key: string, options?: { readonly ifGeneration?: number | undefined }): Promise<boolean>;
  /**
   * Waits until no other holder has the lock of a key. The lock is released when the result is
   * disposed of. Shared stores lease it: if its holder stops renewing it for 15 seconds, another
   * may take it. Without this method the caller promises that only one process uses the store.
   *
   * @param signal - Ends the wait; the promise rejects with `signal.reason`.
   */
  lock?(key: string, signal: AbortSignal): Promise<AsyncDisposable>;
}

/** Maximum number of values in a {@link memoryStore}. */
const maxValues = 10_000;

/**
 * Creates a store that keeps everything in memory, for one process. It holds at most 10,000 values;
 * a further value replaces the value that was written the longest time ago.
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
      const [oldest] = values.keys();
      if (present === "absent" && values.size >= maxValues && oldest !== undefined) {
        values.delete(oldest);
      }
      lastGeneration++;
      values.delete(key);
      values.set(key, { value, generation: lastGeneration });
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
async function lockIn(
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
