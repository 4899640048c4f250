/** The listeners of a store. */
export class Watchers {
  readonly #listeners = new Set<(id: string, version: number) => void>();

  /** Adds a listener. @returns What removes it. */
  add(listener: (id: string, version: number) => void): AsyncDisposable {
    // A function of its own, because the same listener may be added twice.
    const called = (id: string, version: number): void => listener(id, version);
    this.#listeners.add(called);
    return {
      [Symbol.asyncDispose]: () => {
        this.#listeners.delete(called);
        return Promise.resolve();
      },
    };
  }

  /** Calls every listener. */
  notify(id: string, version: number): void {
    for (const listener of this.#listeners) {
      listener(id, version);
    }
  }

  /** Removes every listener. */
  clear(): void {
    this.#listeners.clear();
  }
}
