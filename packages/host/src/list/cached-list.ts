import type { Clock } from "@tenon/base";

/** A list as it was fetched. */
export interface Fetched<T> {
  readonly items: readonly T[];
  /** How long it counts as fresh, in milliseconds. `Infinity`: until it is marked. */
  readonly freshMs: number;
}

/** One list of one server, kept until it is out of date. */
export class CachedList<T> {
  readonly #fetch: () => Promise<Fetched<T>>;
  readonly #clock: Clock;
  #items: readonly T[] | undefined;
  #freshUntil = 0;
  #isDirty = true;
  #marks = 0;
  #flight: Promise<readonly T[]> | undefined;

  constructor(fetch: () => Promise<Fetched<T>>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The last fetched list, of any age; `undefined` if the list was never fetched. */
  get last(): readonly T[] | undefined {
    return this.#items;
  }

  /**
   * Whether the list was never fetched, or may have changed since, because the server has notified
   * a change or was disconnected.
   */
  get isMarked(): boolean {
    return this.#isDirty;
  }

  /** The time at which the list becomes stale, on the clock; 0 if it is stale. */
  get freshUntil(): number {
    return this.#isDirty ? 0 : this.#freshUntil;
  }

  /**
   * Marks the list as stale. A read in flight returns its result, which is not kept, and the next
   * read fetches the list again.
   *
   * @source S-255
   */
  mark(): void {
    this.#marks++;
    this.#isDirty = true;
    this.#flight = undefined;
  }

  /** Forgets the items too. */
  forget(): void {
    this.mark();
    this.#items = undefined;
  }

  /** The list, fetched if it is out of date. Simultaneous reads share one fetch. */
  read(): Promise<readonly T[]> {
    if (this.#flight !== undefined) {
      return this.#flight;
    }
    if (this.#items !== undefined && this.#clock.now() < this.freshUntil) {
      return Promise.resolve(this.#items);
    }
    const flight = this.#load().finally(() => {
      this.#flight = this.#flight === flight ? undefined : this.#flight;
    });
    this.#flight = flight;
    return flight;
  }

  async #load(): Promise<readonly T[]> {
    const marks = this.#marks;
    const { items, freshMs } = await this.#fetch();
    if (marks === this.#marks) {
      this.#items = items;
      this.#freshUntil = this.#clock.now() + freshMs;
      this.#isDirty = false;
    }
    return items;
  }
}
