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
   * When the store may drop the value, in milliseconds since 1970. With `Infinity`, and by
   * default, the value is kept.
   */
  readonly expiresAt?: number | undefined;
}

/**
 * Keeps registrations, tokens, flows and keys. Values are secret. Several processes may share a
 * store. All conditions are checked and applied in one atomic step. Keys are printable ASCII of at
 * most 100 characters, values JSON of at most 64 KiB. `authStoreConformance` of
 * `@tenon/stores/testing` checks a store.
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
