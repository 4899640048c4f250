/** An element of {@link Places}. */
export interface Placed {
  /** Its index, which only {@link Places} changes. `-1` while it is not contained. */
  place: number;
}

/**
 * A set of messages that are being handled, in no order: the last element takes the index of a
 * removed element. A `Set` costs tens of times as much, see `IdTable`.
 */
export class Places<T extends Placed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Removes an element. Returns whether it was contained. */
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

  /** A copy of all elements, so that elements may be removed during the iteration. */
  all(): T[] {
    return [...this.#members];
  }
}
