import type { RequestId } from "./message.ts";

/**
 * Values by id, for tables whose members come and go with every message. It does what a `Map` does, and costs less: the value that comes while there is no other
 * in it stands beside the `Map`, which most conversations then never touch; and the `Map` holds no more than the places of the others, because V8 replaces the
 * store of a `Map` every few deletions, and one store that a full collection has made old keeps all its successors, and whatever was in them, until the next full
 * collection.
 */
export class IdTable<V extends object> {
  #loneId: RequestId | undefined;
  #lone: V | undefined;
  #places: Map<RequestId, number> | undefined;
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  /** How many values there are. */
  get size(): number {
    return (this.#lone === undefined ? 0 : 1) + (this.#places?.size ?? 0);
  }

  /** True if there is a value with this id. */
  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  /** The value with this id, `undefined` if there is none. */
  get(id: RequestId): V | undefined {
    if (id === this.#loneId) {
      return this.#lone;
    }
    const place = this.#places?.get(id);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Adds a value, or replaces the one with this id. */
  set(id: RequestId, value: V): void {
    if (id === this.#loneId || this.size === 0) {
      this.#loneId = id;
      this.#lone = value;
      return;
    }
    this.#places ??= new Map();
    const place = this.#places.get(id) ?? this.#free.pop() ?? this.#values.length;
    this.#places.set(id, place);
    this.#values[place] = value;
  }

  /** Removes the value with this id. @returns It, `undefined` if there was none. */
  take(id: RequestId): V | undefined {
    if (id === this.#loneId) {
      const lone = this.#lone;
      this.#loneId = undefined;
      this.#lone = undefined;
      return lone;
    }
    const place = this.#places?.get(id);
    if (place === undefined) {
      return undefined;
    }
    const value = this.#values[place];
    this.#places?.delete(id);
    this.#values[place] = undefined;
    this.#free.push(place);
    return value;
  }

  /** All values, in no particular order: a copy, so that the table may change meanwhile. */
  values(): V[] {
    return [this.#lone, ...this.#values].filter((value) => value !== undefined);
  }

  /** Removes all values. */
  clear(): void {
    this.#loneId = undefined;
    this.#lone = undefined;
    this.#places?.clear();
    this.#values.length = 0;
    this.#free.length = 0;
  }
}
