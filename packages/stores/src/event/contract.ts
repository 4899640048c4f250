/** One stream of one session. */
export interface StreamKey {
  readonly sessionId: string;
  /** Chosen by the handler, unique within the session. */
  readonly streamId: string;
  /**
   * The fence of the lease under which the events of the session are written. By default any
   * process may write.
   */
  readonly fence?: number | undefined;
}

/** A message that was kept. */
export interface StoredEvent {
  readonly eventId: string;
  /** JSON text; empty for the event that opens a stream. */
  readonly data: string;
}

/**
 * Stores the messages that are sent on the streams of legacy sessions, so that clients can resume a
 * stream. A store may drop old messages. If the store fails, the failure is reported and the stream
 * cannot be resumed, but the response is still sent. `eventStoreConformance` of
 * `@tenon/stores/testing` checks a store.
 *
 * @source
 */
export interface EventStore {
  /**
   * Keeps a message. Called once per event, in the order in which the events of a stream are sent.
   * The event is sent after it settled, or without an ID after 5 seconds: until it settles, further
   * events of the session are sent without being kept.
   *
   * @param stream - With a `fence` below the newest one that a store of several processes has seen
   *   for the session, it rejects with a `StoreError` `FENCED`, and nothing is kept. A store in the
   *   memory of one process may ignore fences.
   * @returns The id of the event: unique in its session, visible ASCII, naming its stream.
   */
  append(stream: StreamKey, data: string): string | Promise<string>;
  /** The stream that an event belongs to; `undefined` if the event is unknown or forgotten. */
  streamOf(sessionId: string, eventId: string): string | undefined | Promise<string | undefined>;
  /**
   * Yields the events after an event of its stream, oldest first.
   *
   * @throws If the event is no longer stored, because later events may be missing too. Stores of
   *   several processes throw a `StoreError` `EVENTS_PURGED`.
   */
  readAfter(stream: StreamKey, eventId: string): AsyncIterable<StoredEvent> | Iterable<StoredEvent>;
  /**
   * Forgets a session. Called after its end, when every `append` for it has settled or timed out,
   * and again if one of them settles later.
   */
  deleteSession(sessionId: string): void | Promise<void>;
}
