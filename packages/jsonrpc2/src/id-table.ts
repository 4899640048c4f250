import type { RequestId } from "./message.ts";

/**
 * Values by id, for tables whose members come and go with every message. It does what a `Map` does, which holds here no more than the place of a value:
 * V8 replaces the store of a `Map` every few deletions, and one store that a full collection has made old keeps all its successors, and whatever was in them,
 * until the next full collection.
 */
export class IdTable<V extends object> {
  readonly #places = new Map<RequestId, number>();
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  /** How many values there are. */
  get size(): number {
    return this.#places.size;
  }

  /** True if there is a value with this id. */
  has(id: RequestId): boolean {
    return this.#places.has(id);
  }

  /** The value with this id, `undefined` if there is none. */
  get(id: RequestId): V | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Adds a value, or replaces the one with this id. */
  set(id: RequestId, value: V): void {
    const place = this.#places.get(id) ?? this.#free.pop() ?? this.#values.length;
    this.#places.set(id, place);
    this.#values[place] = value;
  }

  /** Removes the value with this id. @returns It, `undefined` if there was none. */
  take(id: RequestId): V | undefined {
    const place = this.#places.get(id);
    if (place === undefined) {
      return undefined;
    }
    const value = this.#values[place];
    this.#places.delete(id);
    this.#values[place] = undefined;
    this.#free.push(place);
    return value;
  }

  /** All values, in no particular order: a copy, so that the table may change meanwhile. */
  values(): V[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Removes all values. */
  clear(): void {
    this.#places.clear();
    this.#values.length = 0;
    this.#free.length = 0;
  }
}
