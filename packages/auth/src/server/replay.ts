import type { ReplayStore } from "@tenon/stores";

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
