/** The part of `navigator.locks` that is used here. */
interface Locks {
  request(
    name: string,
    options: { readonly signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<unknown>;
}

/** The locks of an origin, if the platform has them. */
function locks(): Locks | undefined {
  return (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator?.locks;
}

/**
 * Maximum time for which a lock is held after the end of its connections, until their remote peers
 * have read everything, in milliseconds.
 */
export const maxPartingMs = 5000;

/** A lock that is held as long as its document or thread exists. */
export interface Presence {
  /** The name of the lock; `""` if the platform has no locks. */
  readonly lock: string;
  /** Releases the lock. */
  end(): void;
}

/** Acquires a lock of this name. */
export async function holdPresence(name: string): Promise<Presence> {
  const manager = locks();
  if (manager === undefined) {
    return { lock: "", end() {} };
  }
  return await new Promise((resolve) => {
    const held = manager.request(
      name,
      {},
      () =>
        new Promise<void>((release) => {
          resolve({ lock: name, end: release });
        }),
    );
    // Documents with an opaque origin have no locks.
    held.catch(() => resolve({ lock: "", end() {} }));
  });
}

/**
 * Calls `onGone` when the holder of a lock releases it, or its document or thread no longer exists.
 * Returns a function that stops waiting.
 */
export function watchPresence(lock: string, onGone: () => void): () => void {
  const manager = lock === "" ? undefined : locks();
  if (manager === undefined) {
    return () => {};
  }
  const abort = new AbortController();
  manager
    .request(lock, { signal: abort.signal }, () => {
      onGone();
    })
    .catch(() => {});
  return () => abort.abort();
}
