import type { SessionRecord, SessionStore } from "@tenon/stores";

import { changed, readFacts, type FactChange } from "./facts.ts";
import { inTime } from "./nodes.ts";

/** A session that never ends by itself ends after a year without use. */
const longestMs = 365 * 24 * 60 * 60 * 1000;
/** How often a change is repeated when other processes change the record at the same time. */
const maxAttempts = 50;
/** Maximum number of sessions of one principal that are listed. */
const maxListed = 10_000;
/** Maximum number of expired sessions per visit. */
const maxSwept = 500;

/** The records of the sessions. Every call has a time limit. */
export class Records {
  readonly #store: SessionStore;
  readonly #ttlMs: number;
  readonly #storeMs: number;

  constructor(
    store: SessionStore,
    { idleMs, storeMs }: { readonly idleMs: number; readonly storeMs: number },
  ) {
    this.#store = store;
    this.#ttlMs = Math.min(idleMs, longestMs);
    this.#storeMs = storeMs;
  }

  /** Creates a record. @param params - Those of `initialize`. */
  create(id: string, principal: string | undefined, params: unknown): Promise<SessionRecord> {
    const opening = JSON.stringify({ params: params ?? {} });
    return this.#inTime(
      this.#store.create({ id, principal, opening, facts: "{}", node: undefined }, this.#ttlMs),
    );
  }

  /** @see SessionStore.get */
  get(id: string, principal: string | undefined): Promise<SessionRecord | undefined> {
    return this.#inTime(this.#store.get(id, principal));
  }

  /** Adds a change to the facts of a session. Does nothing if it has ended. */
  share(id: string, principal: string | undefined, change: FactChange): Promise<void> {
    return this.#change(id, principal, ({ facts }) => ({
      facts: JSON.stringify(changed(readFacts(facts), change)),
    }));
  }

  /** Records which process has the standalone stream of a session. */
  async moveStream(id: string, principal: string | undefined, node: string): Promise<void> {
    await this.#change(id, principal, (record) => (record.node === node ? undefined : { node }));
  }

  /** Extends a session. @returns False if it has ended. */
  touch(id: string): Promise<boolean> {
    return this.#inTime(this.#store.touch(id, this.#ttlMs));
  }

  /** Deletes a record. @returns Whether it existed. */
  delete(id: string): Promise<boolean> {
    return this.#inTime(this.#store.delete(id));
  }

  /** The IDs of the sessions of a principal. */
  list(principal: string): Promise<readonly string[]> {
    return this.#inTime(this.#store.list(principal, maxListed));
  }

  /** @see SessionStore.sweep */
  sweep(): Promise<readonly SessionRecord[]> {
    return this.#inTime(this.#store.sweep(maxSwept));
  }

  async #change(
    id: string,
    principal: string | undefined,
    patchOf: (record: SessionRecord) => { readonly facts?: string; readonly node?: string } | undefined,
  ): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = await this.get(id, principal);
      const patch = record && patchOf(record);
      if (
        record === undefined ||
        patch === undefined ||
        (await this.#inTime(this.#store.update(id, record.version, patch))) !== "conflict"
      ) {
        return;
      }
    }
    throw new Error(`The record of a session could not be changed in ${maxAttempts} attempts.`);
  }

  #inTime<T>(result: Promise<T>): Promise<T> {
    return inTime(result, this.#storeMs);
  }
}
