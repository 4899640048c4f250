import type { Clock } from "@tenon/base";

/** Counts messages in intervals of a fixed length. */
export class Rate {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #intervalMs: number;
  #start = -Infinity;
  #count = 0;

  constructor(clock: Clock, most: number, intervalMs: number) {
    this.#clock = clock;
    this.#most = most;
    this.#intervalMs = intervalMs;
  }

  /** Counts a message. Returns how many are above the maximum of this interval. */
  exceeds(): number {
    const now = this.#clock.now();
    if (now - this.#start >= this.#intervalMs) {
      this.#start = now;
      this.#count = 0;
    }
    this.#count++;
    return Math.max(0, this.#count - this.#most);
  }
}
