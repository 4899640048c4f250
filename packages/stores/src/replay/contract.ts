/**
 * Remembers proofs that were used. Give all instances of a server a shared one, such as
 * `SET key 1 NX PXAT` of Redis. `replayStoreConformance` of `@tenon/stores/testing` checks a store.
 */
export interface ReplayStore {
  /**
   * Remembers a proof.
   *
   * @param key - The hash of a proof: 43 characters.
   * @param until - How long to remember it, in milliseconds since 1970.
   * @returns Whether it is new. `false` refuses the request, and so does an exception.
   */
  add(key: string, until: number): boolean | Promise<boolean>;
}
