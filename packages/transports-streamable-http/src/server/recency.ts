/** An element of a {@link Recency}, which sets these properties. */
export interface Ranked<T> {
  older: T | undefined;
  newer: T | undefined;
}

/**
 * Items in the order of last use. It is a linked list, because deleting an entry of a `Map` and
 * adding it back creates garbage each time.
 */
export class Recency<T extends Ranked<T>> {
  #oldest: T | undefined;
  #newest: T | undefined;

  /** The least recently used element. */
  get oldest(): T | undefined {
    return this.#oldest;
  }

  /** Makes an element the most recently used. Adds it if it is new. */
  touch(member: T): void {
    if (member !== this.#newest) {
      this.delete(member);
      member.older = this.#newest;
      if (this.#newest === undefined) {
        this.#oldest = member;
      } else {
        this.#newest.newer = member;
      }
      this.#newest = member;
    }
  }

  /** Removes an element. Does nothing if it is not contained. */
  delete(member: T): void {
    const { older, newer } = member;
    if (older !== undefined) {
      older.newer = newer;
    } else if (this.#oldest === member) {
      this.#oldest = newer;
    }
    if (newer !== undefined) {
      newer.older = older;
    } else if (this.#newest === member) {
      this.#newest = older;
    }
    member.older = undefined;
    member.newer = undefined;
  }

  /**
   * All elements, the least recently used first. The current element may be removed during the
   * iteration, others not.
   */
  *members(): Generator<T, void, undefined> {
    for (let member = this.#oldest; member !== undefined;) {
      const { newer } = member;
      yield member;
      member = newer;
    }
  }
}
