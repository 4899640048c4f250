import { systemClock } from "@tenon/base";

import type { Lane } from "./lane.ts";
import type { OpenCall } from "./open-call.ts";

/** Calls that wait for a connection, in their order. */
export class WaitingCalls {
  #wakes: (() => void)[] = [];

  get size(): number {
    return this.#wakes.length;
  }

  /**
   * Waits for a turn.
   *
   * @param maxMs - The maximum time to wait, in milliseconds.
   * @throws `signal.reason`.
   */
  wait(signal: AbortSignal, maxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        systemClock.clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#wakes = this.#wakes.filter((each) => each !== wake);
        settle();
      };
      const wake = end(resolve);
      const abort = end(() => reject(signal.reason));
      const timer = maxMs < Infinity ? systemClock.setTimeout(wake, maxMs, true) : undefined;
      this.#wakes.push(wake);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Wakes all calls, since each may wait for another connection. */
  wakeAll(): void {
    [...this.#wakes].forEach((wake) => wake());
  }
}

/**
 * The call that waits longest for input of its client. None while a connection carries only calls
 * that run: it becomes free without the end of another call.
 */
export function longestAsking(lanes: readonly Pick<Lane, "calls">[]): OpenCall | undefined {
  let oldest: OpenCall | undefined;
  for (const { calls } of lanes) {
    const asking = [...calls].filter(
      ({ stop, waitsSince }) => !stop.signal.aborted && waitsSince !== undefined,
    );
    if (calls.size > 0 && asking.length === 0) {
      return undefined;
    }
    for (const call of asking) {
      oldest = (call.waitsSince ?? Infinity) < (oldest?.waitsSince ?? Infinity) ? call : oldest;
    }
  }
  return oldest;
}
