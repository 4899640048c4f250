/**
 * The stored state of a session, from which any process can serve it. `opening` and `facts` are
 * text, which a store neither reads nor changes.
 */
export interface SessionRecord {
  /** Unguessable, made by the creator. */
  readonly id: string;
  /** 1 at creation. Each `update` adds 1; `touch` does not change it. */
  readonly version: number;
  /**
   * The principal that the session is bound to; `undefined` if its client was not authenticated.
   * Never changes.
   */
  readonly principal: string | undefined;
  /** The parameters of `initialize` and other data of the client at that time, as JSON. */
  readonly opening: string;
  /** The negotiated capabilities and later changes, such as the log level, as JSON. */
  readonly facts: string;
  /** The process that serves the session; `undefined` if none does. */
  readonly node: string | undefined;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly createdAt: number;
  /** End of the session if it is not touched before, as `createdAt`. */
  readonly expiresAt: number;
}

/** The part of a record that the creator of a session determines. */
export type NewSession = Pick<SessionRecord, "id" | "principal" | "opening" | "facts" | "node">;

/** A change of a session. A missing property changes nothing. */
export interface SessionPatch {
  readonly facts?: string | undefined;
  /** `null` removes the process. */
  readonly node?: string | null | undefined;
}

/** The reason why an update was refused: the version differs, or the session does not exist. */
export type SessionRefusal = "conflict" | "gone";

/**
 * Keeps the records of sessions. Several processes may share a store, unless its documentation
 * excludes it. Every method is one atomic step, and sees what earlier steps wrote. All times are
 * measured by the store. `sessionStoreConformance` of `@tenon/stores/testing` checks a store.
 *
 * Every method settles within a time that the store documents, and rejects with a `StoreError`:
 * `STORE_FULL` if there is no room, `STORE_FAILED` if the store cannot be used, `CLOSED` after
 * `close`. Callers fail closed: while the store fails, no session is opened or taken over, because
 * its principal cannot be checked.
 */
export interface SessionStore extends AsyncDisposable {
  /**
   * Creates a session with version 1, which expires after `ttlMs`.
   *
   * @throws `StoreError` `SESSION_EXISTS` if the ID is taken.
   */
  create(session: NewSession, ttlMs: number): Promise<SessionRecord>;

  /**
   * Returns a session, or `undefined` if it does not exist, has expired, or belongs to another
   * principal.
   *
   * @param principal - `undefined` finds only sessions of clients that were not authenticated.
   */
  get(id: string, principal: string | undefined): Promise<SessionRecord | undefined>;

  /** Changes a session if it has this version. Does not change when it expires. */
  update(id: string, version: number, patch: SessionPatch): Promise<SessionRecord | SessionRefusal>;

  /**
   * Extends a session to `ttlMs` from now. A session that lasts longer is not changed.
   *
   * @returns False if it does not exist or has expired.
   */
  touch(id: string, ttlMs: number): Promise<boolean>;

  /** Deletes a session. @returns Whether it existed and had not expired. */
  delete(id: string): Promise<boolean>;

  /**
   * Lists the IDs of the sessions of a principal, oldest first, without those that have expired.
   *
   * @param limit - Maximum number of IDs.
   */
  list(principal: string, limit: number): Promise<readonly string[]>;

  /**
   * Deletes sessions that have expired. Each is returned to one caller only, so that its end is
   * announced once.
   *
   * @param limit - Maximum number of sessions.
   */
  sweep(limit: number): Promise<readonly SessionRecord[]>;

  /**
   * Releases what the store holds. Further calls of other methods reject with `CLOSED`. Idempotent.
   */
  close(): Promise<void>;
}
