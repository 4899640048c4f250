import type { Bus, EventStore, Leases, SessionStore } from "@tenon/stores";

/**
 * Stores that several processes share, so that each of them serves any legacy session. The stores
 * of `@tenon/store-redis` and `@tenon/store-postgres` have these properties. Every process needs
 * the same stores, the same server and the same options.
 */
export interface SessionStores {
  /**
   * The records of sessions. While the store fails, requests of legacy sessions get 503, because
   * their principal cannot be checked. Other requests are served.
   */
  readonly sessions: SessionStore;
  /**
   * Carries a response to the process that waits for it. While the bus fails, responses that arrive
   * at another process get 503. Calls continue.
   */
  readonly bus: Bus;
  /**
   * Sent messages, so that a client can resume a stream at another process. While the store fails,
   * messages are sent, but cannot be resumed. By default streams cannot be resumed.
   */
  readonly events?: EventStore | undefined;
  /**
   * Fences off a process whose standalone stream of a session has moved to another process, so that
   * the event store rejects its late events. By default only the bus notifies that process.
   */
  readonly leases?: Leases | undefined;
}
