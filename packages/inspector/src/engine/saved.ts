import type { SavedCall } from "../wire/action.ts";

/** Keeps the calls that the person has stored. */
export interface SavedCalls {
  /** Reads all stored calls. */
  load(): Promise<readonly SavedCall[]>;
  /** Replaces all stored calls. */
  save(calls: readonly SavedCall[]): Promise<void>;
}

/** Stored calls that are lost with the process. */
export function createMemorySavedCalls(): SavedCalls {
  let kept: readonly SavedCall[] = [];
  return {
    load: () => Promise.resolve(kept),
    save(calls) {
      kept = calls;
      return Promise.resolve();
    },
  };
}
