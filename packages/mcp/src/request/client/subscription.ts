import type { ResourceUpdatedNotificationParams, SubscriptionFilter } from "@tenon/protocol";

/** A change that a server reported. */
export interface Change {
  /** Such as `notifications/resources/updated`. */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Options of `ClientSession.listen`. */
export interface ListenOptions {
  /** Called with the changes, in their order. */
  readonly onChange: (change: Change) => void;
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the acknowledgment may take, in milliseconds, 1 or more. `Infinity` disables the
   * timeout. Default: `limits.timeoutMs` of the client.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * A running `subscriptions/listen`. It is not opened again when it ends: `ClientSession.watch` does
 * that.
 */
export interface Subscription extends AsyncDisposable {
  /** The part of the filter that the server supports. @source R-533 */
  readonly honoured: SubscriptionFilter;
  /**
   * Resolves when the subscription has ended, without `error` if the client or the server ended it
   * normally. Never rejects.
   */
  readonly closed: Promise<{ readonly error?: unknown }>;
  /** Ends it. Idempotent. */
  close(): Promise<void>;
}

/**
 * The updates of a resource, as they come. Ends when it is closed or the session is; throws what
 * the session broke of, or why the resource cannot be watched.
 */
export interface ResourceWatch
  extends AsyncIterableIterator<ResourceUpdatedNotificationParams>, AsyncDisposable {
  /** Resolves when the server has confirmed that it will tell; rejects if it will not. */
  readonly ready: Promise<void>;
  /** Stops watching. Idempotent. */
  close(): Promise<void>;
}
