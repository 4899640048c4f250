/** An element of a {@link Roster}. */
export interface Enrolled {
  /**
   * The index in the roster, which only the roster sets; `-1` outside. An element is in one roster
   * at a time.
   */
  place: number;
}

/**
 * A set whose elements are added and removed with every request, in no order: the last element
 * replaces a removed one. A `Set` costs tens of times as much here, because V8 replaces its store
 * every few deletions and keeps the elements of the old stores until the next full collection.
 */
export class Roster<T extends Enrolled> {
  readonly #members: T[] = [];

  /** The number of elements. */
  get size(): number {
    return this.#members.length;
  }

  /** Adds an element. Does nothing if the roster contains it. */
  add(member: T): void {
    if (member.place < 0) {
      member.place = this.#members.length;
      this.#members.push(member);
    }
  }

  /** Removes an element. Returns whether the roster contained it. */
  delete(member: T): boolean {
    const { place } = member;
    if (place < 0) {
      return false;
    }
    member.place = -1;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      last.place = place;
      this.#members[place] = last;
    }
    return true;
  }

  /** A copy of all elements, so that elements may be removed during iteration. */
  members(): readonly T[] {
    return [...this.#members];
  }
}
