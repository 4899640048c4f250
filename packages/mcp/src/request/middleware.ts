import type { OutgoingCall, Sender } from "@tenon/jsonrpc2";

import { withinLimits, type SendingLimits } from "./sending-limits.ts";

/** Handles a request or a notification. */
export type Next<R> = (request: R) => unknown;

/**
 * Wraps the handling of received messages: inspects a message, changes it
 * (`next(request.with({ params }))`), returns a result without calling `next`, or throws to reject
 * it. Runs for requests and notifications, except `initialize`, messages before it, and unknown
 * methods.
 */
export type ReceivingMiddleware<R> = (next: Next<R>) => Next<R>;

/** A message to be sent, and its session. */
export interface SendingCall<S> extends OutgoingCall {
  readonly session: S;
}

/** Sends the message. Resolves with the result, or with `undefined` for a notification. */
export type SendingNext<S> = (call: SendingCall<S>) => Promise<unknown>;

/**
 * Wraps the sending of requests and notifications, except handshake and cancellation: inspects a
 * message, changes it (`next({ ...call, params })`), or returns a result without sending it.
 */
export type SendingMiddleware<S> = (next: SendingNext<S>) => SendingNext<S>;

/**
 * The way from the middleware, which is built once, to the session's own transport: copies of a
 * call take it along.
 */
const via = Symbol("via");

function sendOn(call: object): Promise<unknown> {
  const send = (call as { readonly [via]?: Sender })[via];
  if (send === undefined) {
    return Promise.reject(
      new TypeError("Sending middleware must pass on the call it was given, or a copy: next({ ...call })."),
    );
  }
  return send(call as OutgoingCall);
}

/**
 * The middleware of one client or server. `add(m1, m2, m3)` runs `m1(m2(m3(handler)))`; middleware
 * that is added later wraps the existing middleware.
 *
 * @typeParam R - A request as middleware sees it.
 * @typeParam I - The same as handlers see it.
 * @typeParam S - The session that sends.
 * @source S-079, S-080
 */
export class MiddlewareStack<R, I extends R, S> {
  #receive: Next<I>;
  #isBare = true;
  #sending: SendingNext<S> | undefined;

  constructor(innermost: Next<I>) {
    this.#receive = innermost;
  }

  /** Whether only the handlers themselves see received messages and their results. */
  get isBare(): boolean {
    return this.#isBare;
  }

  /** Handles something received. */
  receive(request: I): unknown {
    return this.#receive(request);
  }

  /** Sends something, `send` being the way to the transport. */
  send(call: OutgoingCall, session: S, send: Sender, limits: SendingLimits): Promise<unknown> {
    return this.#sending === undefined
      ? send(call)
      : withinLimits(this.#sending({ ...call, session, [via]: send } as SendingCall<S>), call, limits);
  }

  addReceiving(middleware: readonly ReceivingMiddleware<R>[]): void {
    this.#isBare = false;
    // Middleware passes on the request that it was given, or one that `with` made: both are what
    // handlers take.
    this.#receive = middleware.reduceRight((next, wrap) => wrap(next), this.#receive as Next<R>);
  }

  addSending(middleware: readonly SendingMiddleware<S>[]): void {
    this.#sending = middleware.reduceRight<SendingNext<S>>(
      (next, wrap) => wrap(next),
      this.#sending ?? sendOn,
    );
  }
}
