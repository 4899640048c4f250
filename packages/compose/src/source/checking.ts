import { backoff, sleep } from "@tenon/base";

/** Checks on request whether a server responds. */
export interface Checking {
  /** Starts a check, unless one runs or is about to. */
  request(): void;
}

/** Time without checks, in milliseconds, before one starts at once. */
const quietMs = 60_000;

/**
 * Runs one check at a time. Between checks in a row it waits for a time that doubles from 4 s to 30
 * s, so requests that fail on and on do not burden the server, or the other clients.
 *
 * @param check - Returns whether another check is needed. Never rejects.
 */
export function createChecking(check: () => Promise<boolean>, signal: AbortSignal): Checking {
  let isBusy = false;
  let endedAt = -Infinity;
  let inRow = 0;

  async function run(): Promise<void> {
    for (let isNeeded = true; isNeeded;) {
      const idleMs = performance.now() - endedAt;
      inRow = idleMs > quietMs ? 0 : inRow + 1;
      if (inRow > 0) {
        const delayMs = backoff(inRow - 1, { initialDelayMs: 4000, maxDelayMs: 30_000 }) - idleMs;
        await sleep(Math.max(0, delayMs), { signal, keepsAlive: false });
      }
      isNeeded = await check();
      endedAt = performance.now();
    }
  }

  return {
    request() {
      if (isBusy || signal.aborted) {
        return;
      }
      isBusy = true;
      run()
        // The composition was closed.
        .catch(() => {})
        .finally(() => {
          isBusy = false;
        });
    },
  };
}
