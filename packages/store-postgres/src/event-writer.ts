import { createGroup, type Group, type GroupLimits } from "./group.ts";
import type { Connection } from "./pool.ts";

/** The fence of a writer without one. */
const noFence = -1;

/** An event to write. Its names and its data are quoted. */
export interface NewEvent {
  readonly session: string;
  readonly stream: string;
  readonly fence: number | undefined;
  readonly data: string;
}

/**
 * Creates a writer of events. The result of an event is its number in its session; `undefined` if
 * the session has a newer fence.
 */
export function createEventWriter(
  rows: Connection["rows"],
  limits: GroupLimits,
): Group<NewEvent, number | undefined> {
  /** Writes the events of a batch, in which a session has one fence. */
  async function write(batch: readonly NewEvent[]): Promise<(number | undefined)[]> {
    const writers = new Map<string, { count: number; readonly fence: number | undefined }>();
    const places = batch.map(({ session, fence }) => {
      const writer = writers.get(session) ?? { count: 0, fence };
      writers.set(session, writer);
      writer.count++;
      return writer.count;
    });
    const counts = [...writers.values()];
    /** How many events of its session follow an event in the batch. */
    const after = batch.map(
      ({ session }, index) => (writers.get(session)?.count ?? 0) - (places[index] ?? 0),
    );
    // The rows of the sessions are locked until the events are visible, so readers see no gaps.
    // They are locked in one order, so that two processes do not wait for each other.
    const written = await rows(
      `WITH counted AS (
        INSERT INTO tenon_event_session AS s
        SELECT session, count, fence, {now}
        FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS writer (session, count, fence)
        ORDER BY session COLLATE "C"
        ON CONFLICT (session) DO UPDATE SET sequence = s.sequence + excluded.sequence,
          fence = greatest(s.fence, excluded.fence), used_at = excluded.used_at
        WHERE excluded.fence = ${noFence} OR s.fence <= excluded.fence RETURNING session, sequence),
      written AS (
        INSERT INTO tenon_event SELECT session, stream, sequence - after, {now}, data
        FROM unnest($4::text[], $5::text[], $6::bigint[], $7::text[]) AS event (session, stream, after, data)
        JOIN counted USING (session))
      SELECT session, sequence FROM counted`,
      [...writers.keys()],
      counts.map(({ count }) => count),
      counts.map(({ fence }) => fence ?? noFence),
      batch.map(({ session }) => session),
      batch.map(({ stream }) => stream),
      after,
      batch.map(({ data }) => data),
    );
    const last = new Map(written.map(({ session, sequence }) => [session, Number(sequence)]));
    return batch.map(({ session }, index) => {
      const sequence = last.get(session);
      return sequence === undefined ? undefined : sequence - (after[index] ?? 0);
    });
  }

  return createGroup({
    subject: "Events",
    limits,
    lengthOf: ({ session, stream, data }) => session.length + stream.length + data.length,
    admits: oneFenceEach,
    run: write,
  });
}

/**
 * Returns a function that admits one fence for each session. If an event has another fence, all
 * later events of its session wait with it, so that they keep their order.
 */
function oneFenceEach(): (event: NewEvent) => boolean {
  const fences = new Map<string, number | undefined>();
  const closed = new Set<string>();
  return ({ session, fence }) => {
    if (!fences.has(session)) {
      fences.set(session, fence);
    } else if (fences.get(session) !== fence) {
      closed.add(session);
    }
    return !closed.has(session);
  };
}
