import type { MessageExtra } from "../extra.ts";
import type { RequestId } from "../message.ts";
import type { CallOptions } from "./options.ts";

/**
 * One inbound request or notification, and the messages that are sent on its behalf. It ends when
 * the transport has accepted the response, when the request is cancelled, or when the connection
 * ends. Call its methods on the object; they cannot be destructured.
 */
export interface Scope {
  /** The id of the request, `undefined` for a notification. */
  readonly id: RequestId | undefined;
  readonly method: string;
  /** As received: an object, an array, or `undefined`. Unchecked beyond that. */
  readonly params: object | undefined;
  /** The data that the transport has attached to the message. */
  readonly extra?: MessageExtra | undefined;
  /**
   * Aborted when the remote peer cancels the request (with the reason it sent), or when the
   * connection ends. Created on first use, because most handlers never look.
   */
  readonly signal: AbortSignal;
  /**
   * Calls the remote peer on behalf of this request (transports with a stream per request use that
   * stream).
   */
  call(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  /** Notifies the remote peer on behalf of this request. */
  notify(method: string, params?: object): Promise<void>;
  /**
   * Declares that the handler only waits for events, perhaps for hours: the message no longer
   * counts towards `maxInFlight`, and closing does not wait for it. The caller must limit the
   * number of parked messages.
   *
   * @param end - Called when the message is to be closed and no connection ends with it, and when
   *   its signal aborts. It must make the handler finish normally. A handler that only waits needs
   *   no listener of the signal, which would cost more memory than the rest of the message.
   * @returns Makes the message count again, so that closing waits for its response. Idempotent.
   */
  park(end?: () => void): () => void;
}

/**
 * Handles requests and notifications. The returned or resolved value is the result; `undefined`
 * becomes `null`. A thrown `RpcError` is sent unchanged; any other error becomes `-32603` without
 * details. For notifications both are ignored, and errors are reported to `PeerOptions.onError`.
 *
 * If a handler returns synchronously, its response is sent in the same turn of the event loop.
 */
export type Handler = (scope: Scope) => unknown;

/** Wraps a {@link Handler}. */
export type Interceptor = (next: Handler) => Handler;

/**
 * One outbound call or notification before it reaches the transport. Interceptors may pass a
 * changed copy to `next`.
 */
export interface OutgoingCall {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: object | undefined;
  readonly options: CallOptions | undefined;
}

/** Sends an {@link OutgoingCall}; resolves with the result (`undefined` for a notification). */
export type Sender = (call: OutgoingCall) => Promise<unknown>;

/** Wraps a {@link Sender}. */
export type SendingInterceptor = (next: Sender) => Sender;

/**
 * `compose([m1, m2, m3], h)` is `m1(m2(m3(h)))`: the first interceptor of the list runs first.
 *
 * @source S-079, S-080
 */
export function compose<T>(interceptors: readonly ((next: T) => T)[], innermost: T): T {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), innermost);
}
