/** Values that are remembered for a time, up to a number. Beyond it the oldest one goes. */
export class TokenCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.until <= performance.now()) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry?.value;
  }

  set(key: string, value: T, ttlMs: number): void {
    if (!(ttlMs > 0) || this.#max === 0) {
      return;
    }
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: performance.now() + ttlMs });
    const [oldest] = this.#entries.size > this.#max ? this.#entries.keys() : [];
    if (oldest !== undefined) {
      this.#entries.delete(oldest);
    }
  }

  /** Forgets the values that fit. */
  forget(fits: (value: T) => boolean): void {
    for (const [key, { value }] of this.#entries) {
      if (fits(value)) {
        this.#entries.delete(key);
      }
    }
  }
}
