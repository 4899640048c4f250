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

import { createEventWriter } from "./event-writer.ts";
import type { GroupLimits } from "./group.ts";
import type { Connection } from "./pool.ts";
import { upkeepOf } from "./upkeep.ts";

/** Number of events that are read at a time. */
const pageSize = 200;
/** The events of a session are trimmed once per this many appends. */
const trimEvery = 64;
/** How long the fence of a session without events is kept, in milliseconds. */
const fenceMs = 86_400_000;

/** Limits of the event store. */
interface EventLimits extends GroupLimits {
  readonly eventTtlMs: number;
  readonly maxEventsPerSession: number;
}

/** Creates the event store of a pool. */
export function createEventStore(
  { row, rows, timeoutMs }: Connection,
  limits: EventLimits,
): EventStore & { close(): Promise<void> } {
  const { eventTtlMs: ttlMs, maxEventsPerSession } = limits;
  const calls = createStoreCalls("Event store", timeoutMs);
  const writer = createEventWriter(rows, limits);
  const cleanEvents = upkeepOf(row, "tenon_event", "at", ttlMs);
  const cleanSessions = upkeepOf(row, "tenon_event_session", "used_at", Math.max(ttlMs, fenceMs));

  async function* readAfter(
    { sessionId, streamId }: { readonly sessionId: string; readonly streamId: string },
    eventId: string,
  ): AsyncGenerator<StoredEvent> {
    const start = parseEventId(eventId);
    let last = start?.streamId === streamId ? start.sequence : 0;
    for (;;) {
      // The first row must be the last event that was read: then no event after it was purged.
      const [before, ...page] = await calls.run(() =>
        rows(
          `SELECT sequence, at > {now} - $5::bigint AS stored, CASE WHEN sequence = $3 THEN '""' ELSE data END AS data
          FROM tenon_event WHERE session = $1 AND stream = $2 AND sequence >= $3
          ORDER BY sequence LIMIT $4`,
          quoted(sessionId),
          quoted(streamId),
          last,
          pageSize + 1,
          ttlMs,
        ),
      );
      if (Number(before?.["sequence"]) !== last || before?.["stored"] !== true) {
        throw new StoreError("EVENTS_PURGED", "Event to resume after must be stored; it was purged.");
      }
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
      calls.run(async () => {
        if (fence !== undefined && !(Number.isSafeInteger(fence) && fence >= 0)) {
          throw new TypeError(`Fence must be an integer from 0 to 2^53 - 1; got ${fence}.`);
        }
        const session = quoted(sessionId);
        const event = { session, stream: quoted(streamId), fence, data: quoted(data) };
        const sequence = await writer.add(event);
        if (sequence === undefined) {
          throw new StoreError("FENCED", "Another process writes the events of this session.");
        }
        if (sequence % trimEvery === 0 && sequence > maxEventsPerSession) {
          const sql = "DELETE FROM tenon_event WHERE session = $1 AND sequence <= $2";
          await row(sql, session, sequence - maxEventsPerSession);
        }
        cleanEvents();
        cleanSessions();
        return eventIdOf(streamId, sequence);
      }),
    streamOf: (sessionId, eventId) =>
      calls.run(async () => {
        const parts = parseEventId(eventId);
        if (parts === undefined) {
          return undefined;
        }
        const sql =
          "SELECT 1 FROM tenon_event WHERE session = $1 AND stream = $2 AND sequence = $3 AND at > {now} - $4::bigint";
        const values = [quoted(sessionId), quoted(parts.streamId), parts.sequence, ttlMs];
        return (await row(sql, ...values)) === undefined ? undefined : parts.streamId;
      }),
    readAfter,
    deleteSession: (sessionId) =>
      calls.run(async () => {
        await row(
          `WITH events AS (DELETE FROM tenon_event WHERE session = $1)
          DELETE FROM tenon_event_session WHERE session = $1`,
          quoted(sessionId),
        );
      }),
    close: () => calls.close(),
  };
}
