/** A lease that was acquired. */
export interface Lease {
  /** Grows with each acquisition of the key, and is never used again. */
  readonly fence: number;
  /** The process that holds it, as it was named in `acquire`. */
  readonly holder: string;
  /** End of the lease, in milliseconds since 1970 by the clock of the store. */
  readonly expiresAt: number;
}

/** Options of {@link Leases.acquire}. */
export interface AcquireOptions {
  /**
   * Whether to take the lease from a holder whose lease still lasts. That holder is fenced off.
   * Default: `false`.
   */
  readonly takeOver?: boolean | undefined;
}

/**
 * Selects one process at a time, for example the process that writes the events of a session. A
 * holder that was paused may not notice the end of its lease. Therefore its writes must carry the
 * fence, and their receiver must reject a fence below the newest fence that it has received.
 * `leasesConformance` of `@tenon/stores/testing` checks an implementation.
 *
 * Every method is one atomic step, settles within a time that the implementation documents, and
 * rejects with a `StoreError`: `STORE_FAILED` if the store cannot be used, `CLOSED` after `close`.
 * Callers fail closed: a process that cannot renew its lease stops before the lease ends.
 */
export interface Leases extends AsyncDisposable {
  /**
   * Acquires the lease of a key, if no other holder has it. A holder that acquires its own lease
   * again gets a new fence.
   *
   * @param key - 1 to 200 characters of visible ASCII.
   * @param holder - Identifies the process: 1 to 200 characters of visible ASCII.
   */
  acquire(key: string, holder: string, leaseMs: number, options?: AcquireOptions): Promise<Lease | undefined>;
  /** Extends a lease to `leaseMs` from now. @returns False if it has ended or was taken over. */
  renew(key: string, fence: number, leaseMs: number): Promise<boolean>;
  /** Ends a lease. @returns False if it had ended or was taken over. */
  release(key: string, fence: number): Promise<boolean>;
  /** Returns the lease that lasts, if there is one: where to forward what belongs to the key. */
  current(key: string): Promise<Lease | undefined>;
  /**
   * Releases what the object holds, but not its leases. Further calls of other methods reject with
   * `CLOSED`. Idempotent.
   */
  close(): Promise<void>;
}
