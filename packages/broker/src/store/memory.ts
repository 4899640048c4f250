import {
  checkAuthEntry,
  createMemoryLeases,
  createAuthLock,
  StoreError,
  type AuthStore,
  type StoreClock,
} from "@tenon/stores";

/** Maximum number of values in memory. */
const maxValues = 200_000;
/** After how many writes values that have ended are removed. */
const sweepEvery = 1000;

/** A value, until when it lasts, and its generation. */
interface Entry {
  readonly value: string;
  readonly generation: number;
  readonly expiresAt: number;
}

/**
 * Creates the store of a broker for development: it ends with the process. Unlike the store of a
 * client, it drops nothing to make room: a full store refuses.
 *
 * @param clock - Determines the date. Default: the clock of the platform.
 */
export function createMemoryAuthStore(clock: StoreClock = { date: () => Date.now() }): AuthStore {
  const entries = new Map<string, Entry>();
  let writes = 0;
  const alive = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    return entry !== undefined && entry.expiresAt > clock.date() ? entry : undefined;
  };

  function sweep(): void {
    const now = clock.date();
    for (const [key, { expiresAt }] of entries) {
      if (expiresAt <= now) {
        entries.delete(key);
      }
    }
  }

  return {
    get(key) {
      const entry = alive(key);
      return Promise.resolve(
        entry === undefined ? undefined : { value: entry.value, generation: entry.generation },
      );
    },
    async put(key, value, { ifGeneration, expiresAt = Infinity } = {}) {
      checkAuthEntry(key, value);
      const present = alive(key)?.generation ?? "absent";
      if (ifGeneration !== undefined && ifGeneration !== present) {
        return "conflict";
      }
      writes++;
      if (writes % sweepEvery === 0 || entries.size >= maxValues) {
        sweep();
      }
      if (!entries.has(key) && entries.size >= maxValues) {
        throw new StoreError("STORE_FULL", `The memory of the broker holds at most ${maxValues} values.`);
      }
      entries.set(key, { value, generation: writes, expiresAt });
      return writes;
    },
    delete(key, { ifGeneration } = {}) {
      const present = alive(key);
      const isMeant = present !== undefined && [undefined, present.generation].includes(ifGeneration);
      return Promise.resolve(isMeant && entries.delete(key));
    },
    lock: createAuthLock(createMemoryLeases({ clock })),
  };
}
