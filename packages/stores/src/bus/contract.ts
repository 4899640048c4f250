/** Receives the messages of a topic. */
export interface BusListener {
  /**
   * Called with each message. Messages of one publisher come in the order in which it published
   * them, unless it did so at the same time. Must not throw.
   */
  message(payload: string): void;
  /**
   * Called when messages may have been lost, such as after the connection to the store was lost and
   * replaced. The listener must read the current state, and notify its clients of a change even if
   * there was none. Must not throw.
   */
  gap(): void;
}

/**
 * Carries messages between processes: every subscriber of a topic gets them, at most once. Nothing
 * is kept for later subscribers. `busConformance` of `@tenon/stores/testing` checks a bus.
 *
 * Every method settles within a time that the bus documents, and rejects with a `StoreError`:
 * `STORE_FULL` for a payload above its limit, `STORE_FAILED` if it cannot be used, `CLOSED` after
 * `close`. Callers continue without the bus. Messages that are published while it fails are lost,
 * and `gap` is called afterwards.
 */
export interface Bus extends AsyncDisposable {
  /**
   * Publishes a message to all current subscribers of a topic, in every process. Resolves when the
   * bus has accepted it; subscribers may get it later.
   *
   * @param topic - 1 to 200 characters of visible ASCII.
   * @param payload - Text of up to a million characters, without unpaired surrogates.
   */
  publish(topic: string, payload: string): Promise<void>;

  /**
   * Subscribes to a topic. Resolves when the subscription is active: messages that are published
   * later, by any process, reach the listener. Not called after the result was disposed of.
   */
  subscribe(topic: string, listener: BusListener): Promise<AsyncDisposable>;

  /**
   * Ends all subscriptions of this object. Further calls of other methods reject with `CLOSED`.
   * Idempotent.
   */
  close(): Promise<void>;
}
