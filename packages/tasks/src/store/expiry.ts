import type { Row } from "./row.ts";

/** Width of a slot, in milliseconds. */
const slotMs = 1000;

/** Tasks by the second in which they expire. */
export class Expiry {
  readonly #slots = new Map<number, Set<string>>();

  /** Adds a task, if it expires. */
  add({ record: { id, expiresAt } }: Row): void {
    if (expiresAt !== null) {
      const slot = Math.floor(expiresAt / slotMs);
      const ids = this.#slots.get(slot);
      if (ids === undefined) {
        this.#slots.set(slot, new Set([id]));
      } else {
        ids.add(id);
      }
    }
  }

  /** Removes a task. */
  remove({ record: { id, expiresAt } }: Row): void {
    if (expiresAt !== null) {
      const slot = Math.floor(expiresAt / slotMs);
      const ids = this.#slots.get(slot);
      if (ids?.delete(id) === true && ids.size === 0) {
        this.#slots.delete(slot);
      }
    }
  }

  /** The tasks that expire in this second or before. Some of them may not have expired yet. */
  *due(now: number): Generator<string> {
    const last = Math.floor(now / slotMs);
    for (const [slot, ids] of this.#slots) {
      if (slot <= last) {
        yield* ids;
      }
    }
  }
}
