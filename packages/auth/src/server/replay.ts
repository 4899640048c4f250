/**
 * Remembers proofs that were used. Give all instances of a server a shared one, such as
 * `SET key 1 NX PXAT` of Redis.
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

/**
 * Remembers proofs in this process. @param max - Maximum number of proofs. The oldest one is
 * forgotten. Default: `100_000`.
 */
export function memoryReplayStore(max = 100_000): ReplayStore {
  const seen = new Map<string, number>();
  return {
    add(key, until) {
      const known = seen.get(key);
      if (known !== undefined && known > Date.now()) {
        return false;
      }
      seen.delete(key);
      seen.set(key, until);
      for (const [oldest, end] of seen) {
        if (seen.size <= max && end > Date.now()) {
          break;
        }
        seen.delete(oldest);
      }
      return true;
    },
  };
}
