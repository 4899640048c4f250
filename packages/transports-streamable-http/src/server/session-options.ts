import type { EventStore } from "./event-store.ts";

/** How legacy sessions live. @source R-361…R-366 */
export interface SessionOptions {
  /** How long a session may be without requests and open streams, in milliseconds. 0: for ever. Default 1 800 000 (half an hour). */
  readonly idleMs?: number | undefined;
  /** Most sessions at a time. One more ends the one that was idle for longest; if all have open streams it is refused with 503. Default 10 000. */
  readonly max?: number | undefined;
  /** Makes session ids: visible ASCII, unguessable. Default: 128 random bits. @source R-361 */
  readonly generateId?: (() => string) | undefined;
  /** Keeps what was sent, so that a client that lost its connection gets the rest. Default: no resumption. @source R-360 */
  readonly eventStore?: EventStore | undefined;
  /** How long a client should wait before it comes back for a stream that the server has closed, in milliseconds. Default 1000. @source R-350 */
  readonly retryMs?: number | undefined;
  /** Told when a session begins. */
  readonly onSessionOpened?: ((session: SessionDescription) => void) | undefined;
  /** Told when a session has ended, and why. */
  readonly onSessionClosed?: ((session: SessionDescription, reason: SessionEnd) => void) | undefined;
}

/** A session, as its owner is told about it. */
export interface SessionDescription {
  readonly id: string;
  /** Whom it is bound to; `undefined` if its client was not authenticated. */
  readonly principal: string | undefined;
}

/** Why a session ended: the client's DELETE, too long without use, room for another one, the server, or the handler's `close`. */
export type SessionEnd = "deleted" | "idle" | "evicted" | "server" | "shutdown";
