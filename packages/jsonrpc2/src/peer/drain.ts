import type { Clock } from "@tenon/base";

/** The time that running handlers get to finish while their peer closes. */
export class Drain {
  readonly #clock: Clock;
  readonly #timers: unknown[] = [];
  #resolve: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the time. Resolves when it has ended: after `ms`, or earlier by {@link end}. */
  async start(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
      this.end(ms);
    });
    for (const timer of this.#timers) {
      this.#clock.clearTimeout(timer);
    }
  }

  /** Ends the time after `inMs` milliseconds, unless it ends earlier. */
  end(inMs = 0): void {
    if (inMs > 0) {
      this.#timers.push(this.#clock.setTimeout(() => this.#resolve?.(), inMs, true));
    } else {
      this.#resolve?.();
    }
  }
}
