import { adjustCount } from "@tenon/base";

import { Recency, type Ranked } from "./recency.ts";
import type { Session } from "./session.ts";

/** A session in a {@link SessionTable}, which sets these properties. */
export interface Occupant<E extends Ranked<E>> extends Ranked<E> {
  readonly session: Pick<Session, "sessionId" | "principal" | "busy">;
  /** The position among sessions of its kind, which are either unused or used. */
  recency: Recency<E>;
  lastSeen: number;
}

/** The session to end for a new session, if the table is full, or the reason of a refusal. */
interface Vacancy<E> {
  readonly victim?: E | undefined;
  readonly problem?: string | undefined;
}

/**
 * Time in which a session without a principal is safe from eviction by other sessions without a
 * principal, in milliseconds.
 */
const safeMs = 60_000;

/** The sessions of a handler. Limits them, and chooses the session to evict for a new session. */
export class SessionTable<E extends Occupant<E>> {
  /** Sessions that have sent no request but `initialize`. */
  readonly unused: Recency<E> = new Recency<E>();
  /** All other sessions. */
  readonly used: Recency<E> = new Recency<E>();
  readonly #byId = new Map<string, E>();
  /** How many sessions each principal has. */
  readonly #counts = new Map<string | undefined, number>();
  readonly #max: number;
  readonly #maxPerPrincipal: number;

  /**
   * @param max - Maximum number of sessions.
   * @param maxPerPrincipal - Maximum number of sessions of one principal.
   */
  constructor(max: number, maxPerPrincipal: number) {
    this.#max = max;
    this.#maxPerPrincipal = maxPerPrincipal;
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#byId.size;
  }

  get(id: string): E | undefined {
    return this.#byId.get(id);
  }

  /** A copy of all sessions. */
  all(): readonly E[] {
    return [...this.#byId.values()];
  }

  /** Adds a new session to the unused sessions. */
  add(entry: E): void {
    const { sessionId, principal } = entry.session;
    this.#byId.set(sessionId, entry);
    adjustCount(this.#counts, principal, 1);
    this.touch(entry, false);
  }

  /** Removes a session. Returns whether it was contained. */
  delete(entry: E): boolean {
    const { sessionId, principal } = entry.session;
    if (this.#byId.get(sessionId) !== entry) {
      return false;
    }
    this.#byId.delete(sessionId);
    entry.recency.delete(entry);
    adjustCount(this.#counts, principal, -1);
    return true;
  }

  /**
   * Counts the idle time of a session from now on, if it is contained.
   *
   * @param isUse - Whether it is used now: then it is one of the {@link used} sessions.
   */
  touch(entry: E, isUse: boolean): void {
    if (this.#byId.get(entry.session.sessionId) !== entry) {
      return;
    }
    entry.lastSeen = performance.now();
    if (isUse && entry.recency !== this.used) {
      entry.recency.delete(entry);
      entry.recency = this.used;
    }
    entry.recency.touch(entry);
  }

  /** Finds room for a session of `principal`. A busy session is not evicted. */
  find(principal: string | undefined): Vacancy<E> {
    if (principal !== undefined && (this.#counts.get(principal) ?? 0) >= this.#maxPerPrincipal) {
      const victim = this.#idle([this.unused, this.used], (entry) => entry.session.principal === principal);
      const limit = `${this.#maxPerPrincipal} sessions of one principal is reached (limits.maxSessionsPerPrincipal)`;
      return victim === undefined ? { problem: `The limit of ${limit}` } : { victim };
    }
    if (this.size < this.#max) {
      return {};
    }
    const victim = this.#idle([this.unused]) ?? this.#idleOfGreediest(principal);
    const problem = `The limit of ${this.#max} sessions is reached (limits.maxSessions)`;
    return victim === undefined ? { problem } : { victim };
  }

  #idle(kinds: readonly Recency<E>[], fits: (entry: E) => boolean = () => true): E | undefined {
    for (const kind of kinds) {
      for (const entry of kind.members()) {
        if (!entry.session.busy && fits(entry)) {
          return entry;
        }
      }
    }
    return undefined;
  }

  /**
   * Returns the session to evict: the longest idle session of the principal with the most sessions,
   * if that principal has at least as many as the principal of the new session. Clients without a
   * principal may be strangers, so they do not evict each other's recently used sessions.
   */
  #idleOfGreediest(principal: string | undefined): E | undefined {
    const safeSince = principal === undefined ? performance.now() - safeMs : Infinity;
    let highest = 0;
    for (const count of this.#counts.values()) {
      highest = Math.max(highest, count);
    }
    let most = Math.max(1, this.#counts.get(principal) ?? 0) - 1;
    let victim: E | undefined;
    for (const entry of this.used.members()) {
      const { session, lastSeen } = entry;
      const count = this.#counts.get(session.principal) ?? 0;
      const isSafe = session.principal === undefined && lastSeen > safeSince;
      if (count > most && !isSafe && !session.busy) {
        victim = entry;
        most = count;
        if (count === highest) {
          break;
        }
      }
    }
    return victim;
  }
}
