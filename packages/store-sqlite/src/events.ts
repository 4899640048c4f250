import type { ResolvedLimits } from "@tenon/base";
import {
  createStoreCalls,
  eventIdOf,
  parseEventId,
  quoted,
  StoreError,
  unquoted,
  type EventStore,
  type StoredEvent,
} from "@tenon/stores";

import type { Connection } from "./database.ts";
import type { SqliteStoreLimits } from "./limits.ts";

/** Number of events that are read at a time. */
const pageSize = 200;
/** How long the fence of a session without events is kept, in milliseconds. */
const fenceMs = 86_400_000;

/** Creates the event store of a database. */
export function createEventStore(
  { row, rows, run, write, date }: Connection,
  { eventTtlMs: ttlMs, maxEventsPerSession }: ResolvedLimits<SqliteStoreLimits>,
): EventStore & { close(): Promise<void> } {
  const calls = createStoreCalls("Event store");

  function isStored(session: string, stream: string, sequence: number): boolean {
    const sql = "SELECT 1 FROM tenon_event WHERE session = ? AND stream = ? AND sequence = ? AND at > ?";
    return row(sql, session, stream, sequence, date() - ttlMs) !== undefined;
  }

  function append(session: string, stream: string, data: string, fence: number | undefined): number {
    const now = date();
    const counted = row(
      `INSERT INTO tenon_event_session VALUES (?, 1, ?, ?)
      ON CONFLICT DO UPDATE SET sequence = sequence + 1, fence = max(fence, excluded.fence), used_at = excluded.used_at
      WHERE ? OR fence <= excluded.fence RETURNING sequence`,
      session,
      fence ?? 0,
      now,
      fence === undefined ? 1 : 0,
    );
    if (counted === undefined) {
      throw new StoreError("FENCED", "Another process writes the events of this session.");
    }
    const sequence = Number(counted["sequence"]);
    run("INSERT INTO tenon_event VALUES (?, ?, ?, ?, ?)", session, stream, sequence, now, data);
    const oldest = sequence - maxEventsPerSession;
    run("DELETE FROM tenon_event WHERE session = ? AND sequence <= ?", session, Math.max(0, oldest));
    run("DELETE FROM tenon_event WHERE at <= ?", now - ttlMs);
    run("DELETE FROM tenon_event_session WHERE used_at <= ?", now - Math.max(fenceMs, ttlMs));
    return sequence;
  }

  async function* readAfter(
    { sessionId, streamId }: { readonly sessionId: string; readonly streamId: string },
    eventId: string,
  ): AsyncGenerator<StoredEvent> {
    const [session, stream] = [quoted(sessionId), quoted(streamId)];
    const start = parseEventId(eventId);
    let last = start?.streamId === streamId ? start.sequence : 0;
    for (;;) {
      const page = await calls.run(() => {
        if (!isStored(session, stream, last)) {
          throw new StoreError("EVENTS_PURGED", "Event to resume after must be stored; it was purged.");
        }
        const sql =
          "SELECT sequence, data FROM tenon_event WHERE session = ? AND stream = ? AND sequence > ? ORDER BY sequence LIMIT ?";
        return rows(sql, session, stream, last, pageSize);
      });
      for (const { sequence, data } of page) {
        last = Number(sequence);
        yield { eventId: eventIdOf(streamId, last), data: unquoted(data) };
      }
      if (page.length < pageSize) {
        return;
      }
    }
  }

  return {
    append: ({ sessionId, streamId, fence }, data) =>
      calls.run(() => {
        const [session, stream, text] = [quoted(sessionId), quoted(streamId), quoted(data)];
        return eventIdOf(
          streamId,
          write(() => append(session, stream, text, fence)),
        );
      }),
    streamOf: (sessionId, eventId) =>
      calls.run(() => {
        const { streamId, sequence } = parseEventId(eventId) ?? {};
        const isKnown =
          streamId !== undefined &&
          sequence !== undefined &&
          isStored(quoted(sessionId), quoted(streamId), sequence);
        return isKnown ? streamId : undefined;
      }),
    readAfter,
    deleteSession: (sessionId) =>
      calls.run(() =>
        write(() => {
          run("DELETE FROM tenon_event WHERE session = ?", quoted(sessionId));
          run("DELETE FROM tenon_event_session WHERE session = ?", quoted(sessionId));
        }),
      ),
    close: () => calls.close(),
  };
}
