import type { EventStore } from "@tenon/stores";

/**
 * The identification and the storage of legacy sessions. Their number and their times are limits of
 * the handler.
 *
 * @source R-361…R-366
 */
export interface SessionOptions {
  /**
   * Returns a new session ID: a string of visible ASCII, unguessable, not a promise. If it returns
   * anything else, `initialize` gets 500 and `onError` is called. Default: 128 random bits.
   *
   * @source R-361
   */
  readonly generateId?: (() => string) | undefined;
  /**
   * Stores sent messages, so that a client can resume a stream after its connection is lost. By
   * default streams cannot be resumed.
   *
   * @source R-360
   */
  readonly eventStore?: EventStore | undefined;
  /** Called when a session begins. */
  readonly onSessionOpened?: ((session: SessionDescription) => void) | undefined;
  /** Called with the reason when a session has ended. */
  readonly onSessionClosed?: ((session: SessionDescription, reason: SessionEnd) => void) | undefined;
}

/** The description of a session that is passed to hooks. */
export interface SessionDescription {
  readonly id: string;
  /**
   * The principal that the session is bound to; `undefined` if its client was not authenticated.
   */
  readonly principal: string | undefined;
}

/**
 * Why a session ended: the client's DELETE, too long without use, room for another one, `revoke` of
 * the handler, the server, or the handler's `close`.
 */
export type SessionEnd = "deleted" | "idle" | "evicted" | "revoked" | "server" | "shutdown";
