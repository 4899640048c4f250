import type { ReadResourceResult } from "@tenon/protocol";

/**
 * The owner of entries that every principal may read. It is a symbol, because callers without a
 * principal are also an owner.
 */
export const everybody: unique symbol = Symbol("everybody");

/**
 * The owner of an entry: a principal, callers without a principal (`undefined`), or
 * {@link everybody}.
 */
export type Owner = string | undefined | typeof everybody;

/** One kept result, a link in the ring of all of them. */
export interface Entry {
  readonly server: string;
  readonly owner: Owner;
  readonly uri: string;
  readonly value: ReadResourceResult;
  readonly bytes: number;
  /** On the cache's clock. */
  readonly expires: number;
  /** The one used before this one. */
  next: Entry;
  /** The one used after this one. */
  previous: Entry;
}

/** Puts an entry right behind the head of a ring: it is the most recently used. */
export function link(entry: Entry, ring: Entry): void {
  entry.next = ring.next;
  entry.previous = ring;
  ring.next.previous = entry;
  ring.next = entry;
}

/** Removes an entry from its ring. */
export function unlink(entry: Entry): void {
  entry.previous.next = entry.next;
  entry.next.previous = entry.previous;
}
