import type { Clock } from "@tenon/base";

/** One server's part of a merged list. */
export interface Part<T> {
  /** The time at which the part becomes stale, on the clock. */
  readonly freshUntil: number;
  read(): Promise<readonly T[]>;
}

/**
 * The merged lists of all servers. A read fetches the stale lists, all at once, and reuses the
 * others. While nothing has changed, every read returns the same array at almost no cost.
 */
export class MergedList<T> {
  readonly #parts: () => readonly Part<T>[];
  readonly #clock: Clock;
  #merged: Promise<readonly T[]> | undefined;
  #freshUntil = 0;
  #marks = 0;

  /** @param parts - In the order in which they are merged. */
  constructor(parts: () => readonly Part<T>[], clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** The next read looks at all parts again. */
  mark(): void {
    this.#marks++;
    this.#merged = undefined;
  }

  /** All items. Never rejects: a part that cannot be read is left out by its owner. */
  read(): Promise<readonly T[]> {
    if (this.#merged === undefined || this.#clock.now() >= this.#freshUntil) {
      this.#freshUntil = Infinity;
      this.#merged = this.#merge();
    }
    return this.#merged;
  }

  async #merge(): Promise<readonly T[]> {
    const marks = this.#marks;
    const parts = this.#parts();
    const lists = await Promise.all(parts.map((part) => part.read()));
    if (marks === this.#marks) {
      this.#freshUntil = Math.min(...parts.map(({ freshUntil }) => freshUntil));
    } else {
      this.#freshUntil = 0;
    }
    return Object.freeze(lists.flat());
  }
}
