import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";

import { steadyDate, type StoreClock } from "../clock.ts";
import { StoreError } from "../error.ts";
import { createSteps } from "../steps.ts";
import type { SessionRecord, SessionStore } from "./contract.ts";
import { openedSession, patchedSession } from "./record.ts";

/** Limits of {@link createMemorySessionStore}. Above one of them `create` and `update` reject. */
export interface MemorySessionStoreLimits {
  /** Maximum number of sessions. Default: `100_000`. */
  readonly maxSessions?: number | undefined;
  /**
   * Maximum length of all sessions together, in UTF-16 code units. Default:
   * `67_108_864` (64 Mi).
   */
  readonly maxLength?: number | undefined;
}

/** Options of {@link createMemorySessionStore}. */
export interface MemorySessionStoreOptions {
  /** Limits of the stored sessions. Each limit has its own default. */
  readonly limits?: MemorySessionStoreLimits | undefined;
  /** Determines the date. Default: the clock of the platform. */
  readonly clock?: StoreClock | undefined;
}

const limitRules: LimitRules<MemorySessionStoreLimits> = {
  maxSessions: [100_000, 1],
  maxLength: [64 * 1024 * 1024, 0],
};

/**
 * Creates a store that keeps the records of sessions in memory: for one process, as long as it
 * lives.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createMemorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  checkOptionNames("createMemorySessionStore", options, "limits clock", limitRules);
  const { maxSessions, maxLength } = readLimits(options.limits, limitRules);
  const date = steadyDate(options.clock);
  const sessions = new Map<string, SessionRecord>();
  const { step, close } = createSteps("Session store");
  /** Sessions that have expired and were removed for others. `sweep` still returns them. */
  let removed: SessionRecord[] = [];
  let length = 0;

  function find(id: string): SessionRecord | undefined {
    const record = sessions.get(id);
    return record === undefined || record.expiresAt <= date() ? undefined : record;
  }

  function put(id: string, after: SessionRecord | undefined): void {
    const before = sessions.get(id);
    const grown = lengthOf(after) - lengthOf(before);
    if (before === undefined && sessions.size >= maxSessions) {
      throw new StoreError("STORE_FULL", `Session store is full: the limit is ${maxSessions} (maxSessions).`);
    }
    if (grown > 0 && length + grown > maxLength) {
      throw new StoreError("STORE_FULL", `Session store is full: the limit is ${maxLength} (maxLength).`);
    }
    length += grown;
    if (after === undefined) {
      sessions.delete(id);
    } else {
      sessions.set(id, after);
    }
  }

  /** Removes what has expired if what is added would have no room otherwise. */
  function makeRoom(added: number): void {
    if (sessions.size >= maxSessions || length + added > maxLength) {
      // Only the newest: without a sweep the array would grow without limit.
      removed = [...removed, ...expired(Infinity)].slice(-maxSessions);
    }
  }

  /** Removes what has expired, at most `limit` sessions. */
  function sweep(limit: number): readonly SessionRecord[] {
    const earlier = removed.splice(0, limit);
    return [...earlier, ...expired(limit - earlier.length)];
  }

  function expired(limit: number): readonly SessionRecord[] {
    const now = date();
    const swept: SessionRecord[] = [];
    for (const record of sessions.values()) {
      if (swept.length >= limit) {
        break;
      }
      if (record.expiresAt <= now) {
        swept.push(record);
      }
    }
    swept.forEach(({ id }) => put(id, undefined));
    return swept;
  }

  return {
    create: (session, ttlMs) =>
      step(() => {
        if (find(session.id) !== undefined) {
          throw new StoreError("SESSION_EXISTS", "A session with this ID exists.");
        }
        const record = openedSession(session, ttlMs, date());
        makeRoom(lengthOf(record));
        put(session.id, record);
        return record;
      }),
    get: (id, principal) =>
      step(() => {
        const record = find(id);
        return record?.principal === principal ? record : undefined;
      }),
    update: (id, version, patch) =>
      step(() => {
        const before = find(id);
        if (before?.version !== version) {
          return before === undefined ? "gone" : "conflict";
        }
        const after = patchedSession(before, patch);
        makeRoom(lengthOf(after) - lengthOf(before));
        put(id, after);
        return after;
      }),
    touch: (id, ttlMs) =>
      step(() => {
        const before = find(id);
        if (before === undefined) {
          return false;
        }
        put(id, { ...before, expiresAt: Math.max(before.expiresAt, date() + ttlMs) });
        return true;
      }),
    delete: (id) =>
      step(() => {
        const existed = find(id) !== undefined;
        if (existed) {
          put(id, undefined);
        }
        return existed;
      }),
    list: (principal, limit) =>
      step(() => {
        const now = date();
        return [...sessions.values()]
          .filter((record) => record.principal === principal && record.expiresAt > now)
          .slice(0, limit)
          .map(({ id }) => id);
      }),
    sweep: (limit) => step(() => sweep(limit)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function lengthOf(record: SessionRecord | undefined): number {
  return record === undefined ? 0 : record.id.length + record.opening.length + record.facts.length;
}
