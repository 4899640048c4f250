import type { Clock, LimitRules } from "@tenon/base";

import type { ErrorObject, Message, Notification, RequestId, Response } from "../message.ts";
import type { Handler, Interceptor, SendingInterceptor } from "./handler.ts";

/** Options of `Peer`. */
export interface PeerOptions {
  /** Handles requests and notifications. By default every request gets `-32601`. */
  readonly handler?: Handler | undefined;
  /** Interceptors around `handler`. The first is the outermost. */
  readonly receiving?: readonly Interceptor[] | undefined;
  /** Interceptors around every outbound call and notification. The first is the outermost. */
  readonly sending?: readonly SendingInterceptor[] | undefined;
  /**
   * The notification that tells the remote peer about a cancelled call. By default no notification
   * is sent.
   */
  readonly cancellation?: Cancellation | undefined;
  /**
   * The outbound call that an inbound notification is about, if any. Its `onRelated` is called and
   * its `timeoutMs` restarts. The notification is then not given to `handler`.
   */
  readonly relate?: ((notification: Notification) => RequestId | undefined) | undefined;
  /** Numbers and times that this peer does not exceed. Each limit has its own default. */
  readonly limits?: PeerLimits | undefined;
  /**
   * Whether requests of a method run at once although `maxInFlight` requests are running, for
   * example health checks. Their handlers should be short. Up to `maxInFlight + maxBacklog` of them
   * and of notifications run concurrently. By default no method is urgent.
   */
  readonly isUrgent?: ((method: string) => boolean) | undefined;
  /**
   * Returns whether to accept an inbound batch now. A rejected batch gets the error `-32600`. By
   * default every batch is rejected.
   */
  readonly batches?: (() => boolean) | undefined;
  /**
   * Returns whether rejected input (not a message, a batch, an id in use, too many requests) gets
   * an error response now. Return false if this peer must not send responses. By default the error
   * response is always sent.
   *
   * @source R-256
   */
  readonly answerRefused?: (() => boolean) | undefined;
  /** Makes request ids, unique among the pending ones. Default: 1, 2, 3 … */
  readonly nextId?: (() => RequestId) | undefined;
  /**
   * Called with unexpected messages: a response without a pending call (unknown, late or repeated),
   * an error without an id, a rejected duplicate, input that is not a message, messages above
   * `maxBacklog`. They are dropped or rejected in any case.
   */
  readonly onUnexpected?: ((unexpected: Unexpected) => void) | undefined;
  /**
   * Called with errors that are not returned to a caller: the error of a handler, a failed
   * notification. Default: `console.error`, except for `CONNECTION_CLOSED`; `() => {}` discards
   * them.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with a response that was not sent, and why: JSON cannot carry it, it exceeds a limit, or
   * the connection is closed. The remote peer gets an error instead if it can. In place of a result
   * that JSON cannot carry, it gets the object that this function returns, if there is one.
   * Default: the error goes to `onError`.
   */
  readonly onUnsent?: ((request: Answered, response: Response, error: unknown) => unknown) | undefined;
  /** Called whenever the last running handler and the last pending call are done. */
  readonly onIdle?: (() => void) | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The request that a response is for. */
export interface Answered {
  readonly method: string;
  readonly params: object | undefined;
}

/** Limits of a `Peer`. */
export interface PeerLimits {
  /**
   * Maximum number of inbound requests that run concurrently. Further requests wait. Default:
   * `256`.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum number of inbound requests that wait for their turn. Above it reading pauses until a
   * request finishes. If no request finishes for a second, or an outbound call is pending, reading
   * continues: further requests are rejected with `-32603`, and responses, cancellations and urgent
   * requests still get through. Notifications run at once; up to `maxInFlight + maxBacklog` of them
   * run concurrently, and further ones are dropped. Default: `1_024`.
   */
  readonly maxBacklog?: number | undefined;
  /**
   * Maximum number of pending outbound calls. Further calls reject with `LIMIT_EXCEEDED`. Default:
   * `65_536`.
   */
  readonly maxPending?: number | undefined;
  /**
   * Idle timeout of calls that do not set {@link CallOptions.timeoutMs}, in milliseconds. Such a
   * call rejects with `TIMEOUT`. Default: `Infinity`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Total timeout of calls that do not set {@link CallOptions.totalTimeoutMs}, in milliseconds.
   * Such a call rejects with `TIMEOUT`. Default: `Infinity`.
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * How long handlers may continue after `close` or the end of input before they are aborted, and
   * how long reading may continue after writing has failed for good, in milliseconds. Default:
   * `1_000`.
   */
  readonly drainMs?: number | undefined;
}

/** The rules of {@link PeerLimits}. */
export const peerLimits: LimitRules<PeerLimits> = {
  maxInFlight: [256, 1],
  maxBacklog: [1024, 0],
  maxPending: [65_536, 0],
  timeoutMs: [Infinity, 1],
  totalTimeoutMs: [Infinity, 1],
  drainMs: [1000, 0],
};

/** A protocol's cancellation message, both ways. */
export interface Cancellation {
  /** The notification that cancels the call `id`; `undefined` to send none. */
  notification(
    id: RequestId,
    reason: unknown,
    method: string,
  ): { method: string; params?: object } | undefined;
  /**
   * The request that an inbound notification cancels, and why; `undefined` if it is not a
   * cancellation.
   */
  read(notification: Notification): { id: RequestId | undefined; reason?: unknown } | undefined;
}

/** A message that was dropped, and why. */
export interface Unexpected {
  readonly kind: "response" | "duplicate-request" | "malformed" | "unrelated-notification" | "overflow";
  readonly message: Message | undefined;
  readonly error?: ErrorObject | undefined;
}

/** Options of one outbound call. */
export interface CallOptions {
  /**
   * Cancels the call: it rejects at once with `signal.reason`, the remote peer is notified (see
   * {@link Cancellation}), and a late response is dropped. If the signal is already aborted,
   * nothing is sent.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Idle timeout, in milliseconds, 1 or more. A response or a related notification must arrive
   * within it. `Infinity` disables the timeout. Default: `limits.timeoutMs` of the peer.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Total timeout, in milliseconds, 1 or more. Notifications do not restart it. `Infinity` disables
   * the timeout. Default: `limits.totalTimeoutMs` of the peer.
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * Called with the notifications that `PeerOptions.relate` assigns to this call, before the call
   * settles.
   */
  readonly onRelated?: ((notification: Notification) => void) | undefined;
  /** The inbound request on whose behalf the call is made. */
  readonly relatedTo?: RequestId | undefined;
  /** Called with the id of the request before it is sent. */
  readonly onId?: ((id: RequestId) => void) | undefined;
}

/** Options of `Peer.close`. */
export interface CloseOptions {
  /**
   * Time that running handlers get to finish before they are aborted, in milliseconds. If the peer
   * is already closing, the shorter remaining time applies; without `drainMs` it is unchanged.
   * Default: {@link PeerLimits.drainMs}.
   */
  readonly drainMs?: number | undefined;
  /** Why; the `cause` of the errors that pending calls reject with. */
  readonly reason?: unknown;
  /**
   * The error that makes the connection useless. The connection is closed as if it were broken, and
   * `closed` resolves with this error.
   */
  readonly error?: unknown;
}

/** The end of a peer. */
export interface Closed {
  /** The error that broke the connection; `undefined` if the local or the remote peer closed it. */
  readonly error?: unknown;
}
