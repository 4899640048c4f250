import { SignalWatch, type Abortable } from "@tenon/base";

import { HostError } from "../error.ts";

/** Limits the number of concurrent holders; further callers wait in a queue. */
export class Gate {
  readonly #limit: number;
  readonly #maxWaiting: number;
  readonly #line = new Set<Waiter>();
  readonly #signals = new SignalWatch();
  #inside = 0;

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
  }

  /** How many are inside. */
  get inside(): number {
    return this.#inside;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Waits for a place and takes it.
   *
   * @returns Gives the place up; later calls do nothing.
   * @throws `HostError` `LIMIT_EXCEEDED` if too many requests are waiting; `signal.reason`.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#inside < this.#limit) {
      this.#inside++;
    } else {
      await this.#wait(signal);
    }
    let left = false;
    return () => {
      if (!left) {
        left = true;
        this.#leave();
      }
    };
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#line.size >= this.#maxWaiting) {
      const message = `Too many requests: ${this.#inside} in flight and ${this.#line.size} queued (policy.limits.maxWaiting).`;
      return Promise.reject(new HostError("LIMIT_EXCEEDED", message, { phase: "call", retryable: true }));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          this.#remove(waiter, signal);
          resolve();
        },
        abandon: (reason) => {
          this.#remove(waiter, signal);
          reject(reason);
        },
      };
      this.#line.add(waiter);
      if (signal !== undefined) {
        this.#signals.add(signal, waiter);
      }
    });
  }

  #remove(waiter: Waiter, signal: AbortSignal | undefined): void {
    this.#line.delete(waiter);
    if (signal !== undefined) {
      this.#signals.remove(signal, waiter);
    }
  }

  /** The place goes to the next in line, or becomes free. */
  #leave(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#inside--;
    } else {
      next.admit();
    }
  }
}

/** A caller in the queue. */
interface Waiter extends Abortable {
  admit(): void;
}
