import { backoff, sleep } from "@tenon/base";

/** A server that may have to be reached again. */
export interface Recoverable {
  readonly isConnected: boolean;
  /** Connects, or checks that the server responds again. @throws If it does not. */
  recover(): Promise<void>;
}

/** Reaches a server again that is down. */
export interface Recovering {
  /** Tries until the server is back, unless that runs already or the server is connected. */
  start(): void;
}

/** A source that has responded for as long, in milliseconds, does not fail in a row. */
const steadyMs = 60_000;

/**
 * Tries to reach a server that is down, until it is back. A server that fails again soon after it
 * came back is not tried more often for that.
 *
 * @param onBack - Called when the server has responded.
 */
export function createRecovering(source: Recoverable, onBack: () => void, signal: AbortSignal): Recovering {
  let isRunning = false;
  let endedAt = -Infinity;
  let attempts = 0;

  async function run(): Promise<void> {
    attempts = performance.now() - endedAt > steadyMs ? 0 : attempts;
    for (let isBack = false; !isBack;) {
      const delayMs = backoff(attempts++, { initialDelayMs: 500, maxDelayMs: 30_000 });
      await sleep(delayMs, { signal, keepsAlive: false });
      isBack =
        source.isConnected ||
        (await source.recover().then(
          () => true,
          // The next list reports the error.
          () => false,
        ));
    }
    if (!signal.aborted) {
      onBack();
    }
  }

  return {
    start() {
      if (isRunning || source.isConnected) {
        return;
      }
      isRunning = true;
      run()
        // The composition was closed.
        .catch(() => {})
        .finally(() => {
          isRunning = false;
          endedAt = performance.now();
        });
    },
  };
}
