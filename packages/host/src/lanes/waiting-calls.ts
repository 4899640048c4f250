import { systemClock } from "@tenon/base";

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
