import type { EventStore, StoredEvent, StreamKey } from "./event-store.ts";

/** Bounds of a {@link createMemoryEventStore}; beyond one of them the oldest events are forgotten. */
export interface MemoryEventStoreOptions {
  /** Longest text of all events together, in UTF-16 code units, ids and bookkeeping left out. Default 64 Mi. */
  readonly maxLength?: number | undefined;
  /** Most events of all streams. Default 100 000. */
  readonly maxEvents?: number | undefined;
  /** How long an event is kept, in milliseconds. Default 600 000 (ten minutes). */
  readonly maxAgeMs?: number | undefined;
}

interface Kept extends StoredEvent {
  readonly stream: Kept[];
  readonly key: StreamKey;
  readonly at: number;
}

/** Keeps events in memory: for one process, as long as it lives. */
export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  const { maxLength = 64 * 1024 * 1024, maxEvents = 100_000, maxAgeMs = 600_000 } = options;
  const sessions = new Map<string, Map<string, Kept[]>>();
  /** All events, oldest first; what a session's end has forgotten is skipped. */
  let order: Kept[] = [];
  let head = 0;
  let length = 0;
  let count = 0;
  let lastId = 0;

  function forget(kept: Kept): void {
    const [first] = kept.stream;
    if (first !== kept) {
      return;
    }
    kept.stream.shift();
    length -= kept.data.length;
    count--;
    if (kept.stream.length === 0) {
      forgetStream(kept.key);
    }
  }

  /** A long session has a stream for each of its requests: what is empty must not stay. */
  function forgetStream({ sessionId, streamId }: StreamKey): void {
    const streams = sessions.get(sessionId);
    streams?.delete(streamId);
    if (streams?.size === 0) {
      sessions.delete(sessionId);
    }
  }

  function trim(now: number): void {
    for (let oldest = order[head]; oldest !== undefined; oldest = order[head]) {
      if (length <= maxLength && count <= maxEvents && now - oldest.at <= maxAgeMs) {
        break;
      }
      forget(oldest);
      head++;
    }
    if (head > 1024 && head > order.length / 2) {
      order = order.slice(head);
      head = 0;
    }
  }

  function streamOf({ sessionId, streamId }: StreamKey): Kept[] {
    let streams = sessions.get(sessionId);
    if (streams === undefined) {
      streams = new Map();
      sessions.set(sessionId, streams);
    }
    let stream = streams.get(streamId);
    if (stream === undefined) {
      stream = [];
      streams.set(streamId, stream);
    }
    return stream;
  }

  return {
    append(key, data) {
      const now = performance.now();
      const stream = streamOf(key);
      const eventId = `${key.streamId}-${++lastId}`;
      const kept: Kept = { eventId, data, stream, key, at: now };
      stream.push(kept);
      order.push(kept);
      length += data.length;
      count++;
      trim(now);
      return eventId;
    },
    streamOf(sessionId, eventId) {
      const streamId = eventId.slice(0, Math.max(0, eventId.lastIndexOf("-")));
      const stream = sessions.get(sessionId)?.get(streamId);
      return stream?.some((kept) => kept.eventId === eventId) === true ? streamId : undefined;
    },
    readAfter({ sessionId, streamId }, eventId) {
      const stream = sessions.get(sessionId)?.get(streamId) ?? [];
      return stream.slice(stream.findIndex((kept) => kept.eventId === eventId) + 1);
    },
    deleteSession(sessionId) {
      for (const stream of sessions.get(sessionId)?.values() ?? []) {
        for (const kept of stream) {
          length -= kept.data.length;
          count--;
        }
        stream.length = 0;
      }
      sessions.delete(sessionId);
    },
  };
}
