import { isStoreError, type SessionRecord, type SessionStore } from "@tenon/stores";

import { changed, readFacts, type FactChange } from "./facts.ts";
import { storeInTime } from "./nodes.ts";
import { maxRevocations, readRevocations, type Revocation } from "./revocation.ts";

/** A session that never ends by itself ends after a year without use. */
const longestMs = 365 * 24 * 60 * 60 * 1000;
/** How often a change is repeated when other processes change the record at the same time. */
const maxAttempts = 50;
/** Maximum number of sessions of one principal that are listed. */
const maxListed = 10_000;
/** Maximum number of expired sessions that are deleted at a time. */
const maxSwept = 4000;
/** The ID and the principal of the record that lists the revocations of principals. */
const revocations = "mcp.revocations";
/** How long the list is kept after the last revocation: 30 days. */
const revocationsMs = 30 * 24 * 60 * 60 * 1000;

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
    return id === revocations ? Promise.resolve(undefined) : this.#inTime(this.#store.get(id, principal));
  }

  /** The newest revocations, oldest first. */
  async revocations(): Promise<readonly Revocation[]> {
    const record = await this.#inTime(this.#store.get(revocations, revocations));
    return record === undefined ? [] : readRevocations(record.facts);
  }

  /** Adds a revocation to the list. */
  async addRevocation(revocation: Revocation): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = await this.#inTime(this.#store.get(revocations, revocations));
      const listed = record === undefined ? [] : readRevocations(record.facts);
      const facts = JSON.stringify([...listed, revocation].slice(-maxRevocations));
      if (record === undefined ? await this.#list(facts) : await this.#relist(record.version, facts)) {
        return;
      }
    }
    throw new Error(`The list of revocations could not be changed in ${maxAttempts} attempts.`);
  }

  /** Creates the list. @returns False if another process was earlier. */
  async #list(facts: string): Promise<boolean> {
    const list = { id: revocations, principal: revocations, opening: "{}", facts, node: undefined };
    try {
      await this.#inTime(this.#store.create(list, revocationsMs));
      return true;
    } catch (error) {
      if (isStoreError(error, "SESSION_EXISTS")) {
        return false;
      }
      throw error;
    }
  }

  /** Replaces the list. @returns False if another process was earlier. */
  async #relist(version: number, facts: string): Promise<boolean> {
    const updated = await this.#inTime(this.#store.update(revocations, version, { facts }));
    if (typeof updated === "string") {
      return false;
    }
    await this.#inTime(this.#store.touch(revocations, revocationsMs));
    return true;
  }

  /** Adds a change to the facts of a session. @returns The record, if the session exists. */
  share(id: string, principal: string | undefined, change: FactChange): Promise<SessionRecord | undefined> {
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

  /** Deletes the sessions that have expired, in parts. Each is yielded to one process only. */
  async *sweep(): AsyncGenerator<SessionRecord, void, undefined> {
    let swept: readonly SessionRecord[];
    do {
      swept = await this.#inTime(this.#store.sweep(maxSwept));
      yield* swept.filter(({ id }) => id !== revocations);
    } while (swept.length >= maxSwept);
  }

  async #change(
    id: string,
    principal: string | undefined,
    patchOf: (record: SessionRecord) => { readonly facts?: string; readonly node?: string } | undefined,
  ): Promise<SessionRecord | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const record = await this.get(id, principal);
      const patch = record && patchOf(record);
      if (record === undefined || patch === undefined) {
        return record;
      }
      const updated = await this.#inTime(this.#store.update(id, record.version, patch));
      if (updated !== "conflict") {
        return updated === "gone" ? undefined : updated;
      }
    }
    throw new Error(`The record of a session could not be changed in ${maxAttempts} attempts.`);
  }

  #inTime<T>(result: Promise<T>): Promise<T> {
    return storeInTime(result, this.#storeMs);
  }
}
