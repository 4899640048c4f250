import { McpError } from "./error.ts";

/** Named definitions in a stable order, which may come and go at any time. */
export class Registry<T> {
  readonly #kind: string;
  readonly #items = new Map<string, T>();
  readonly #onChange: () => void;
  #sorted: readonly string[] | undefined;
  #version = 0;

  constructor(kind: string, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** The names, sorted by code unit. */
  get names(): readonly string[] {
    this.#sorted ??= [...this.#items.keys()].toSorted();
    return this.#sorted;
  }

  get(name: string): T | undefined {
    return this.#items.get(name);
  }

  /** @throws `McpError` `INVALID_DEFINITION` if the name is taken. */
  add(name: string, item: T): void {
    if (this.#items.has(name)) {
      const message = `The ${this.#kind} ${JSON.stringify(name)} is defined already; remove it first, or choose another name.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
    this.#items.set(name, item);
    this.#changed();
  }

  /** Removes the items with these names. Returns whether any was removed. */
  remove(names: readonly string[]): boolean {
    const removed = names.filter((name) => this.#items.delete(name)).length > 0;
    if (removed) {
      this.#changed();
    }
    return removed;
  }

  /** The definitions, in the order in which they were added. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }

  /** True if any definition passes. */
  some(passes: (item: T) => boolean): boolean {
    return [...this.#items.values()].some(passes);
  }

  #changed(): void {
    this.#version++;
    this.#sorted = undefined;
    this.#onChange();
  }
}
