import type { Clock } from "@tenon/base";

import type { AuthStore, Stored } from "../client/tokens/store.ts";

/** A fault of one operation of a simulated process on its store. */
export interface StoreFault {
  /** Delays the operation, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** The operation fails, and changes nothing. */
  readonly fails?: boolean | undefined;
}

/** The store as one simulated process sees it. */
export interface ProcessStore extends AuthStore {
  /** Ends the process: its operations never return, and its lock is renewed no longer. */
  kill(): void;
}

/** A store that simulated processes share. */
export interface SharedStore {
  /**
   * Starts a process. @param fault - Called before every operation. By default nothing goes wrong.
   */
  start(fault?: (operation: "get" | "put" | "delete" | "lock") => StoreFault): ProcessStore;
  /** Returns every value, by key. */
  values(): ReadonlyMap<string, string>;
}

/** A lock that is not renewed for this long may be taken, in milliseconds. */
const leaseMs = 15_000;
const renewMs = 5000;
/** How often a waiting process looks whether the lock is free, in milliseconds. */
const pollMs = 100;

/** Creates a {@link SharedStore} in virtual time. */
export function createSharedStore(clock: Clock): SharedStore {
  const values = new Map<string, Stored>();
  const leases = new Map<string, { readonly holder: object; until: number }>();
  let lastGeneration = 0;
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimeout(resolve, ms, true);
    });

  return {
    values: () => new Map([...values].map(([key, { value }]) => [key, value])),
    start(fault = () => ({})) {
      let isDead = false;
      async function before(operation: "get" | "put" | "delete" | "lock"): Promise<void> {
        const { delayMs = 0, fails = false } = fault(operation);
        if (delayMs > 0) {
          await sleep(delayMs);
        }
        if (isDead) {
          await new Promise(() => {});
        }
        if (fails) {
          throw new Error("The operation failed, as scripted.");
        }
      }
      function hold(key: string): AsyncDisposable {
        const holder = {};
        const lease = { holder, until: clock.now() + leaseMs };
        leases.set(key, lease);
        const renew = (): void => {
          if (!isDead && leases.get(key)?.holder === holder) {
            lease.until = clock.now() + leaseMs;
            clock.setTimeout(renew, renewMs, false);
          }
        };
        clock.setTimeout(renew, renewMs, false);
        return {
          [Symbol.asyncDispose]: async () => {
            if (!isDead && leases.get(key)?.holder === holder) {
              leases.delete(key);
            }
          },
        };
      }
      return {
        async get(key) {
          await before("get");
          return values.get(key);
        },
        async put(key, value, { ifGeneration } = {}) {
          await before("put");
          const present = values.get(key)?.generation ?? "absent";
          if (ifGeneration !== undefined && ifGeneration !== present) {
            return "conflict";
          }
          lastGeneration++;
          values.set(key, { value, generation: lastGeneration });
          return lastGeneration;
        },
        async delete(key, { ifGeneration } = {}) {
          await before("delete");
          const present = values.get(key)?.generation;
          return (ifGeneration === undefined || ifGeneration === present) && values.delete(key);
        },
        async lock(key, signal) {
          await before("lock");
          while ((leases.get(key)?.until ?? 0) > clock.now()) {
            signal.throwIfAborted();
            await sleep(pollMs);
          }
          signal.throwIfAborted();
          return hold(key);
        },
        kill() {
          isDead = true;
        },
      };
    },
  };
}
