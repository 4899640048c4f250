const initialCapacity = 16;
/** A longer array is released when the queue is empty. */
const maxKept = 1024;

/**
 * A queue whose first item is removed in constant time, however long the queue is. `shift` of a
 * long array moves all other items.
 */
export class Ring<T extends object> {
  /** Its length is 0 or a power of two. */
  #members: (T | undefined)[] = [];
  #first = 0;
  #size = 0;

  /** The number of items. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end. */
  push(member: T): void {
    if (this.#size === this.#members.length) {
      this.#grow();
    }
    this.#members[this.#place(this.#size)] = member;
    this.#size++;
  }

  /** Removes and returns the first item; `undefined` if there is none. */
  shift(): T | undefined {
    const place = this.#first;
    const member = this.#members[place];
    if (this.#size > 0) {
      this.#members[place] = undefined;
      this.#first = this.#place(1);
      this.#size--;
      if (this.#size === 0 && this.#members.length > maxKept) {
        this.clear();
      }
    }
    return member;
  }

  /**
   * Removes an item at any position, in time linear in the size. Returns whether the queue had it.
   */
  remove(member: T): boolean {
    const others = this.#inOrder();
    const place = others.indexOf(member);
    if (place < 0) {
      return false;
    }
    others.splice(place, 1);
    this.clear();
    for (const other of others) {
      this.push(other);
    }
    return true;
  }

  /** Removes and returns all items, in their order. */
  clear(): T[] {
    const members = this.#inOrder();
    this.#members = [];
    this.#first = 0;
    this.#size = 0;
    return members;
  }

  #grow(): void {
    const members: (T | undefined)[] = this.#inOrder();
    members.length = Math.max(initialCapacity, 2 * this.#size);
    this.#members = members.fill(undefined, this.#size);
    this.#first = 0;
  }

  #place(offset: number): number {
    return (this.#first + offset) & (this.#members.length - 1);
  }

  #inOrder(): T[] {
    const members: T[] = [];
    for (let offset = 0; offset < this.#size; offset++) {
      members.push(this.#members[this.#place(offset)] as T);
    }
    return members;
  }
}
