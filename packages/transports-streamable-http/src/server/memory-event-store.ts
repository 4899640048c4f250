import { checkOptionNames, readLimits, type LimitRules } from "@tenon/base";
import { LocalError } from "@tenon/jsonrpc2/core";
import type { EventStore, StoredEvent } from "@tenon/stores";

import { Recency, type Ranked } from "./recency.ts";

/** Options of {@link createMemoryEventStore}. */
export interface MemoryEventStoreOptions {
  /** Limits of the stored events. Each limit has its own default. */
  readonly limits?: MemoryEventStoreLimits | undefined;
}

/**
 * Limits of {@link createMemoryEventStore}. Above one of them the oldest events are forgotten:
 * those of the session that stores one, if it holds more than others do.
 */
export interface MemoryEventStoreLimits {
  /**
   * Maximum length of all events together, in UTF-16 code units. IDs and bookkeeping are not
   * counted. Default: `67_108_864` (64 Mi).
   */
  readonly maxLength?: number | undefined;
  /** Maximum number of events of all sessions together. Default: `100_000`. */
  readonly maxEvents?: number | undefined;
  /**
   * Time after which an event can no longer be resumed from, in milliseconds. Default: `600_000`
   * (10 minutes).
   */
  readonly ttlMs?: number | undefined;
}

const limitRules: LimitRules<MemoryEventStoreLimits> = {
  maxLength: [64 * 1024 * 1024, 0],
  maxEvents: [100_000, 0],
  ttlMs: [600_000, 0],
};

interface Kept extends StoredEvent, Ranked<Kept> {
  readonly session: KeptSession;
  readonly stream: Kept[];
  readonly streamId: string;
  readonly at: number;
  /** The next one of its session. */
  next: Kept | undefined;
}

/** How much is kept of one session, or of all. */
interface Sum {
  length: number;
  count: number;
}

interface KeptSession extends Sum {
  readonly streams: Map<string, Kept[]>;
  oldest: Kept | undefined;
  newest: Kept | undefined;
  /** IDs are counted per session, so that they do not reveal the traffic of other sessions. */
  lastId: number;
}

/**
 * Keeps events in memory: for one process, as long as it lives.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  checkOptionNames("createMemoryEventStore", options, "limits", limitRules);
  const { maxLength, maxEvents, ttlMs } = readLimits(options.limits, limitRules);
  /** Includes streams without events, because of their IDs. */
  const sessions = new Map<string, KeptSession>();
  const order = new Recency<Kept>();
  const total: Sum = { length: 0, count: 0 };

  function sessionOf(sessionId: string): KeptSession {
    let session = sessions.get(sessionId);
    if (session === undefined) {
      session = { streams: new Map(), oldest: undefined, newest: undefined, lastId: 0, length: 0, count: 0 };
      sessions.set(sessionId, session);
    }
    return session;
  }

  function streamOf({ streams }: KeptSession, streamId: string): Kept[] {
    let stream = streams.get(streamId);
    if (stream === undefined) {
      stream = [];
      streams.set(streamId, stream);
    }
    return stream;
  }

  function add(kept: Kept): void {
    const { session } = kept;
    kept.stream.push(kept);
    order.touch(kept);
    if (session.newest === undefined) {
      session.oldest = kept;
    } else {
      session.newest.next = kept;
    }
    session.newest = kept;
    count(session, kept, 1);
    count(total, kept, 1);
  }

  /** Forgets the oldest event of a session, which is the oldest one of its stream too. */
  function forget(kept: Kept): void {
    const { session, stream, streamId } = kept;
    order.delete(kept);
    session.oldest = kept.next;
    if (session.oldest === undefined) {
      session.newest = undefined;
    }
    stream.shift();
    if (stream.length === 0) {
      // A long session has a stream for each of its requests.
      session.streams.delete(streamId);
    }
    count(session, kept, -1);
    count(total, kept, -1);
  }

  function forgetAged(): void {
    const before = performance.now() - ttlMs;
    for (let oldest = order.oldest; oldest !== undefined && oldest.at < before; oldest = order.oldest) {
      forget(oldest);
    }
  }

  /**
   * Makes room for the events that a session has added. Each session that holds more than others
   * loses its own events.
   */
  function trim(session: KeptSession): void {
    while (total.length > maxLength || total.count > maxEvents) {
      const [own, all] =
        total.length > maxLength ? [session.length, total.length] : [session.count, total.count];
      const oldest = own * sessions.size >= all ? session.oldest : order.oldest;
      if (oldest === undefined) {
        break;
      }
      forget(oldest);
    }
  }

  return {
    append({ sessionId, streamId }, data) {
      forgetAged();
      const session = sessionOf(sessionId);
      const eventId = `${streamId}-${++session.lastId}`;
      const stream = streamOf(session, streamId);
      const at = performance.now();
      add({
        eventId,
        data,
        session,
        stream,
        streamId,
        at,
        next: undefined,
        older: undefined,
        newer: undefined,
      });
      trim(session);
      return eventId;
    },
    streamOf(sessionId, eventId) {
      forgetAged();
      const streamId = eventId.slice(0, Math.max(0, eventId.lastIndexOf("-")));
      const stream = sessions.get(sessionId)?.streams.get(streamId);
      return stream?.some((kept) => kept.eventId === eventId) === true ? streamId : undefined;
    },
    readAfter({ sessionId, streamId }, eventId) {
      const stream = sessions.get(sessionId)?.streams.get(streamId) ?? [];
      const index = stream.findIndex((kept) => kept.eventId === eventId);
      if (index === -1) {
        throw new LocalError("INVALID_STATE", "The event to resume after is no longer stored.");
      }
      return stream.slice(index + 1);
    },
    deleteSession(sessionId) {
      const session = sessions.get(sessionId);
      if (session !== undefined) {
        sessions.delete(sessionId);
        for (let oldest = session.oldest; oldest !== undefined; oldest = session.oldest) {
          forget(oldest);
        }
      }
      forgetAged();
    },
  };
}

function count(sum: Sum, { data }: Kept, times: 1 | -1): void {
  sum.length += times * data.length;
  sum.count += times;
}
