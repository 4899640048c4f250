import { isStoreError, type EventStore, type Leases, type StoredEvent, type StreamKey } from "@tenon/stores";

import { Followers } from "./followers.ts";
import { storeInTime } from "./nodes.ts";

/** The stream that several processes may write. Each other stream has one writer by its name. */
export const standalone = "0";

/** A fence lasts longer than its lease, because the event store remembers it. */
const leaseMs = 60_000;

/** The events of one session, in a store that other processes write too. */
export class SharedEvents implements EventStore {
  /** The other processes that read its streams while this process writes them. */
  readonly followers: Followers;
  readonly #store: EventStore;
  readonly #storeMs: number;
  readonly #onFenced: () => void;
  #fence: number | undefined;

  /**
   * @param owner - `fenced`: called when another process has taken over the standalone stream.
   *   `written`: tells a process that a stream which it follows was written.
   */
  constructor(
    store: EventStore,
    storeMs: number,
    owner: { fenced(): void; written(node: string, streamId: string): Promise<unknown> },
  ) {
    this.#store = store;
    this.#storeMs = storeMs;
    this.#onFenced = () => owner.fenced();
    this.followers = new Followers((node, streamId) => owner.written(node, streamId));
  }

  /** Makes this process the writer of the standalone stream. */
  async takeOver(leases: Leases, sessionId: string, node: string): Promise<void> {
    const taken = leases.acquire(`stream:${sessionId}`, node, leaseMs, { takeOver: true });
    this.#fence = (await storeInTime(taken, this.#storeMs))?.fence;
  }

  async append(stream: StreamKey, data: string): Promise<string> {
    const fence = stream.streamId === standalone ? this.#fence : undefined;
    try {
      const id = await this.#store.append(fence === undefined ? stream : { ...stream, fence }, data);
      this.followers.written(stream.streamId);
      return id;
    } catch (error) {
      if (isStoreError(error, "FENCED")) {
        this.#onFenced();
      }
      throw error;
    }
  }

  async streamOf(sessionId: string, eventId: string): Promise<string | undefined> {
    return this.#store.streamOf(sessionId, eventId);
  }

  readAfter(stream: StreamKey, eventId: string): AsyncIterable<StoredEvent> | Iterable<StoredEvent> {
    return this.#store.readAfter(stream, eventId);
  }

  deleteSession(): void {
    // The session may continue in another process. Its keeper deletes the events with the record.
  }
}
