import { checkAuthEntry, type AuthStore, type Stored } from "@tenon/stores";

import { lockIn } from "./store.ts";

/** The prefix of all keys in the storage. */
const prefix = "tenon-auth:";

/** The part of a `Storage` that a {@link browserStore} uses. */
export interface BrowserStorage {
  /** The number of keys. */
  readonly length: number;
  /** Returns the key at an index. */
  key(index: number): string | null;
  /** Returns the value of a key. */
  getItem(key: string): string | null;
  /** Writes the value of a key. Throws when the storage is full. */
  setItem(key: string, value: string): void;
  /** Removes a key. */
  removeItem(key: string): void;
}

interface Entry extends Stored {
  readonly expiresAt?: number | undefined;
}

/**
 * Creates a store in a `Storage` of a browser, for pages whose logins outlive the page:
 * `browserStore(sessionStorage)` for one tab, `browserStore(localStorage)` for all tabs of the
 * origin, until the user deletes their data. Every script of the origin can read the tokens, so use
 * a strict content security policy. Tabs take turns by the Web Locks API. A write rejects when the
 * storage is full.
 *
 * @param storage - Keys that begin with `tenon-auth:` belong to this store.
 */
export function browserStore(storage: BrowserStorage): AuthStore {
  const tails = new Map<string, Promise<void>>();

  function read(key: string): Stored | undefined {
    checkAuthEntry(key);
    const entry = entryOf(storage.getItem(prefix + key));
    return entry && { value: entry.value, generation: entry.generation };
  }

  function dropExpired(): void {
    for (const key of Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "")) {
      if (key.startsWith(prefix) && entryOf(storage.getItem(key)) === undefined) {
        storage.removeItem(key);
      }
    }
  }

  const locks = webLocks();
  const lock = (key: string, signal: AbortSignal): Promise<AsyncDisposable> =>
    locks === undefined ? lockIn(tails, key, signal) : lockInTabs(locks, prefix + key, signal);
  /** Between a read and a write of one tab there is no write of another tab. */
  const exclusively = async <T extends number | string | boolean>(work: () => T): Promise<T> =>
    locks === undefined ? work() : ((await locks.request(prefix, work)) as T);

  return {
    get: async (key) => Promise.resolve(read(key)),
    put: (key, value, { ifGeneration, expiresAt } = {}) =>
      exclusively(() => {
        checkAuthEntry(key, value);
        if (ifGeneration !== undefined && ifGeneration !== (read(key)?.generation ?? "absent")) {
          return "conflict";
        }
        dropExpired();
        const generation = newGeneration();
        storage.setItem(prefix + key, JSON.stringify({ value, generation, expiresAt } satisfies Entry));
        return generation;
      }),
    delete: (key, { ifGeneration } = {}) =>
      exclusively(() => {
        const present = read(key)?.generation;
        const isMeant = present !== undefined && (ifGeneration === undefined || ifGeneration === present);
        if (isMeant) {
          storage.removeItem(prefix + key);
        }
        return isMeant;
      }),
    lock,
  };
}

/** The value of a key, unless it has expired or was not written by this store. */
function entryOf(text: string | null): Entry | undefined {
  try {
    const entry = JSON.parse(text ?? "null") as Partial<Entry> | null;
    const { value, generation, expiresAt } = entry ?? {};
    // JSON turns Infinity into null.
    const isKept = (expiresAt ?? Infinity) > Date.now();
    return typeof value === "string" && typeof generation === "number" && isKept
      ? { value, generation }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A number that no other write gets: 53 random bits. */
function newGeneration(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** Missing in pages that are not secure contexts, and in Node before version 24. */
function webLocks(): LockManager | undefined {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: LockManager } };
  return navigator?.locks;
}

function lockInTabs(locks: LockManager, name: string, signal: AbortSignal): Promise<AsyncDisposable> {
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> =>
      new Promise((release) => {
        resolve({
          [Symbol.asyncDispose]() {
            release();
            return Promise.resolve();
          },
        });
      });
    locks.request(name, { signal }, hold).catch(reject);
  });
}
