import type { RequestId } from "./message.ts";

/** So many ids are found by looking at each of them, which takes no longer than hashing one. */
const few = 8;

/**
 * Values by ID, for tables whose entries are added and removed with every message. It works like a
 * `Map`, but uses a `Map` only as an index, and only if the table had more than 8 entries. V8
 * replaces the store of a `Map` every few deletions. If a full collection has made one store old,
 * that store keeps all its successors and their contents until the next full collection. In the
 * arrays, the last entry replaces a removed entry.
 */
export class IdTable<V extends object | RequestId> {
  readonly #ids: RequestId[] = [];
  readonly #values: V[] = [];
  #places: Map<RequestId, number> | undefined;

  /** How many values there are. */
  get size(): number {
    return this.#ids.length;
  }

  /** True if there is a value with this id. */
  has(id: RequestId): boolean {
    return this.#placeOf(id) >= 0;
  }

  /** The value with this id, `undefined` if there is none. */
  get(id: RequestId): V | undefined {
    const place = this.#placeOf(id);
    return place < 0 ? undefined : this.#values[place];
  }

  /** Adds a value, or replaces the value with this ID. */
  set(id: RequestId, value: V): void {
    const place = this.#placeOf(id);
    if (place >= 0) {
      this.#values[place] = value;
      return;
    }
    if (this.#ids.length === few) {
      this.#places ??= new Map(this.#ids.map((known, index) => [known, index]));
    }
    this.#places?.set(id, this.#ids.length);
    this.#ids.push(id);
    this.#values.push(value);
  }

  /** Removes the value with this id. @returns It, `undefined` if there was none. */
  take(id: RequestId): V | undefined {
    const place = this.#placeOf(id);
    if (place < 0) {
      return undefined;
    }
    const value = this.#values[place];
    const lastId = this.#ids.pop();
    const last = this.#values.pop();
    this.#places?.delete(id);
    if (lastId !== undefined && last !== undefined && place < this.#ids.length) {
      this.#ids[place] = lastId;
      this.#values[place] = last;
      this.#places?.set(lastId, place);
    }
    return value;
  }

  /**
   * A copy of all values, in no particular order, so that the table may change during the
   * iteration.
   */
  values(): V[] {
    return [...this.#values];
  }

  /** Removes all values. */
  clear(): void {
    this.#places = undefined;
    this.#ids.length = 0;
    this.#values.length = 0;
  }

  /** `-1` if there is none. */
  #placeOf(id: RequestId): number {
    return this.#places === undefined ? this.#ids.indexOf(id) : (this.#places.get(id) ?? -1);
  }
}
