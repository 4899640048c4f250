import { isFinal } from "./record.ts";
import type { Row } from "./row.ts";
import { isRunnable } from "./transition.ts";

/** The tasks of one principal, by ID. */
export interface Owner {
  readonly principal: string;
  readonly all: Set<string>;
  /** Tasks that can be claimed at once, in the order in which they became claimable. */
  readonly ready: Set<string>;
  /** Tasks that have ended, in the order in which they ended. */
  readonly ended: Set<string>;
  length: number;
  endedLength: number;
}

/** The tasks of each principal, and which of them wait for a worker. */
export class Owners {
  readonly #owners = new Map<string, Owner>();
  /** Owners with a task that is ready, in the order of their turns. */
  readonly #waiting = new Set<Owner>();
  /** Tasks with a lease. */
  readonly leased: Set<string> = new Set();
  /** Tasks that have ended, in the order in which they did. */
  readonly ended: Set<string> = new Set();
  length = 0;
  endedLength = 0;

  /** The tasks of a principal, if it has any. */
  find(principal: string): Owner | undefined {
    return this.#owners.get(principal);
  }

  /**
   * Owners with a task that can be claimed at once. An owner that is passed to `passed` comes again
   * at the end of the iteration.
   */
  waiting(): IterableIterator<Owner> {
    return this.#waiting.values();
  }

  /** Moves an owner behind all other waiting owners. */
  passed(owner: Owner): void {
    if (this.#waiting.delete(owner)) {
      this.#waiting.add(owner);
    }
  }

  /** Adds what a row counts. */
  add({ record, length }: Row): void {
    const { id, principal, state } = record;
    const owner = this.#owners.get(principal) ?? this.#create(principal);
    owner.all.add(id);
    owner.length += length;
    this.length += length;
    if (isFinal(state)) {
      owner.ended.add(id);
      owner.endedLength += length;
      this.ended.add(id);
      this.endedLength += length;
    } else if (record.worker !== undefined) {
      this.leased.add(id);
    } else if (isRunnable(record)) {
      owner.ready.add(id);
      this.#waiting.add(owner);
    }
  }

  /**
   * Removes what a row counts.
   *
   * @param isReplaced - Whether a row of the same task takes its place, which keeps its position.
   */
  remove({ record, length }: Row, isReplaced: boolean): void {
    const { id, principal, state } = record;
    const owner = this.#owners.get(principal);
    if (owner === undefined) {
      return;
    }
    owner.length -= length;
    this.length -= length;
    if (isFinal(state)) {
      owner.ended.delete(id);
      owner.endedLength -= length;
      this.ended.delete(id);
      this.endedLength -= length;
    } else if (record.worker !== undefined) {
      this.leased.delete(id);
    } else if (owner.ready.delete(id) && owner.ready.size === 0) {
      this.#waiting.delete(owner);
    }
    if (!isReplaced) {
      owner.all.delete(id);
      if (owner.all.size === 0) {
        this.#owners.delete(principal);
      }
    }
  }

  #create(principal: string): Owner {
    const owner: Owner = {
      principal,
      all: new Set(),
      ready: new Set(),
      ended: new Set(),
      length: 0,
      endedLength: 0,
    };
    this.#owners.set(principal, owner);
    return owner;
  }
}
