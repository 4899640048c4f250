import { readLimits, reportError, systemClock, type Clock } from "@tenon/base";

import { readNext, type Reader } from "../direct-read.ts";
import { connectionClosed, isLocalError, isRpcError, isUndeliverable, toErrorObject } from "../error.ts";
import {
  isBatch,
  isMalformed,
  isResponse,
  type Incoming,
  type Malformed,
  type Message,
  type Notification,
  type Request,
  type RequestId,
} from "../message.ts";
import type { Connection } from "../transport.ts";
import { BatchReply } from "./batch.ts";
import { Drain } from "./drain.ts";
import type { PeerEvents } from "./events.ts";
import { failureOf } from "./failure.ts";
import { Gate, type GateOwner } from "./gate.ts";
import { compose, type Handler, type OutgoingCall, type Sender } from "./handler.ts";
import { reportUnexpected, runHook } from "./hooks.ts";
import { Inbox } from "./inbox.ts";
import { knowsNothing } from "./method-handler.ts";
import { peerLimits, type Closed, type CloseOptions, type PeerOptions } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { Replies } from "./replies.ts";
import { runHandler, type Outcome } from "./run-handler.ts";
import { RequestScope } from "./scope.ts";

/**
 * The implementation of `Peer` without its generic types: it reads, dispatches, responds and
 * closes. Its parts report to it.
 */
export class Conversation implements PeerEvents, Outcome<RequestScope>, Reader, GateOwner {
  readonly #connection: Connection;
  readonly #options: PeerOptions;
  readonly #clock: Clock;
  readonly #drainMs: number;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #replies: Replies;
  readonly #gate: Gate;
  readonly #handler: Handler;
  readonly #sender: Sender | undefined;
  readonly closed: Promise<Closed>;
  #resolveClosed: ((closed: Closed) => void) | undefined;
  #failure: Closed | undefined;
  #finishing: Promise<void> | undefined;
  #isDisconnecting = false;
  #drain: Drain | undefined;
  #losing: unknown;
  #received = 0;

  constructor(connection: Connection, options: PeerOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const limits = readLimits(options.limits, peerLimits);
    this.#drainMs = limits.drainMs;
    this.#outbox = new Outbox(connection, options, limits, this.#clock, this);
    this.#replies = new Replies(connection, this.#outbox, options, this);
    this.#inbox = new Inbox(limits.maxInFlight, limits.maxBacklog, this);
    this.#gate = new Gate(this.#inbox, this.#outbox, this.#replies, this.#clock, this);
    this.#handler = compose(options.receiving ?? [], options.handler ?? knowsNothing);
    this.#sender = options.sending && compose<Sender>(options.sending, (call) => this.#outbox.send(call));
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.read();
  }

  get received(): number {
    return this.#received;
  }

  get #accepting(): boolean {
    return this.#finishing === undefined;
  }

  get idle(): boolean {
    return this.#inbox.idle && this.#outbox.size === 0;
  }

  /** Sends through the interceptors. One that throws rejects the call, like one that rejects. */
  send(call: OutgoingCall): Promise<unknown> {
    try {
      return this.#sender === undefined ? this.#outbox.send(call) : this.#sender(call);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * {@link send} for callers other than running handlers. While draining, only running handlers may
   * send, through their scopes.
   */
  sendNew(call: OutgoingCall): Promise<unknown> {
    return this.#accepting
      ? this.send(call)
      : Promise.reject(connectionClosed(undefined, { cause: this.#failure?.error }));
  }

  cancel(id: RequestId, reason: unknown): void {
    const scope = this.#inbox.cancel(id);
    if (scope !== undefined) {
      scope.abort(reason);
      scope.batch?.done();
      this.onRoom();
    }
  }

  /**
   * Cancels the requests that the remote peer has sent on behalf of a call: their own cancellation
   * cannot arrive if the stream of the call has ended.
   */
  onAbandoned(call: RequestId, reason: unknown): void {
    for (const { id, extra } of this.#inbox.requests()) {
      const { relatedTo }: { readonly relatedTo?: RequestId | undefined } = extra ?? {};
      if (relatedTo === call) {
        this.cancel(id as RequestId, reason);
      }
    }
    this.onSettled();
  }

  close({ error, reason = error, drainMs }: CloseOptions = {}): Promise<void> {
    if (error !== undefined && this.#accepting) {
      this.#failure ??= { error };
    }
    if (drainMs !== undefined) {
      this.#drain?.end(drainMs);
    }
    this.#finishing ??= this.#finish(reason, drainMs);
    this.#gate.close();
    return this.#finishing;
  }

  /** Reads the next message, unless there is no room for it. */
  read(): void {
    if (!this.#gate.pass()) {
      return;
    }
    try {
      readNext(this.#connection, this);
    } catch (error) {
      this.lose(error);
    }
  }

  take(incoming: Incoming | undefined): void {
    if (incoming === undefined) {
      this.#outbox.end();
      this.#finishing ??= this.#finish();
      return;
    }
    this.#received++;
    try {
      this.#receive(incoming);
      this.read();
    } catch (error) {
      this.lose(error);
    }
  }

  /** Called when the connection broke. Has no effect while it is being closed locally. */
  lose(error: unknown): void {
    if (this.#isDisconnecting) {
      return;
    }
    this.#failure ??= { error };
    this.#outbox.end(error);
    this.#finishing ??= this.#finish(error, 0);
    // A peer that is already closing need not wait for handlers whose responses cannot be sent.
    this.#drain?.end();
  }

  onWriteError(error: unknown): void {
    const isLost = isLocalError(error, "CONNECTION_CLOSED") && !isUndeliverable(error);
    if (isLost && this.#accepting && this.#losing === undefined) {
      // The remote peer may have sent responses before it disconnected. They still count.
      this.#losing = this.#clock.setTimeout(() => this.lose(error), this.#drainMs, true);
    }
  }

  onRoom(): void {
    this.#gate.onRoom();
  }

  #receive(incoming: Incoming): void {
    if (!isBatch(incoming)) {
      this.#receiveOne(incoming);
    } else if (runHook(this.#options, () => this.#options.batches?.()) === true) {
      const reply = new BatchReply((responses) => {
        this.#replies.sendBatch(responses);
      });
      for (const message of incoming.batch) {
        this.#receiveOne(message, reply);
      }
      reply.done();
    } else {
      // Responses need no response, and their calls must not wait.
      const responses = incoming.batch.filter(isResponse);
      responses.forEach((response) => this.#receiveOne(response));
      if (responses.length < incoming.batch.length) {
        this.#replies.refuseInvalid("batches are not supported here");
      }
    }
  }

  #receiveOne(message: Message | Malformed, batch?: BatchReply): void {
    if (isMalformed(message)) {
      reportUnexpected(this.#options, { kind: "malformed", message: undefined, error: message.malformed });
      this.#replies.refuseMalformed(message, this.#inbox, batch);
    } else if (!("method" in message)) {
      if (!this.#outbox.settle(message)) {
        reportUnexpected(this.#options, { kind: "response", message });
      }
    } else if ("id" in message) {
      this.#receiveRequest(message, batch);
    } else {
      this.#receiveNotification(message);
    }
  }

  #receiveRequest(request: Request, batch?: BatchReply): void {
    if (this.#inbox.has(request.id)) {
      // A response with the ID would settle the first request, so the error is sent without an ID.
      reportUnexpected(this.#options, { kind: "duplicate-request", message: request });
      this.#replies.refuseInvalid(`the id ${JSON.stringify(request.id)} is in use`, batch);
    } else if (!this.#accepting) {
      this.#replies.refuseRequest("The connection is closing", request, batch);
    } else {
      batch?.expect();
      if (!this.#admit(request, batch)) {
        this.#replies.refuseRequest("Too many requests in flight", request, batch);
        batch?.done();
      }
    }
  }

  #receiveNotification(notification: Notification): void {
    runHook(this.#options, () => {
      const cancelled = this.#options.cancellation?.read(notification);
      if (cancelled?.id !== undefined) {
        this.cancel(cancelled.id, cancelled.reason);
      }
      const related = this.#options.relate?.(notification);
      if (related === undefined) {
        if (this.#accepting) {
          this.#admit(notification);
        }
      } else if (!this.#outbox.relate(related, notification)) {
        reportUnexpected(this.#options, { kind: "unrelated-notification", message: notification });
      }
    });
  }

  /** False if there is no room. */
  #admit(message: Request | Notification, batch?: BatchReply): boolean {
    const isAdmitted = this.#inbox.admit(new RequestScope(this, message, batch, this.#isImmediate(message)));
    if (!isAdmitted) {
      reportUnexpected(this.#options, { kind: "overflow", message });
    }
    return isAdmitted;
  }

  #isImmediate(message: Request | Notification): boolean {
    const { isUrgent } = this.#options;
    return (
      !("id" in message) ||
      (isUrgent !== undefined &&
        !this.#inbox.hasPlace &&
        runHook(this.#options, () => isUrgent(message.method)) === true)
    );
  }

  start(scope: RequestScope): void {
    runHandler(this.#handler, scope, this);
  }

  succeed(scope: RequestScope, value: unknown): void {
    const { id } = scope;
    if (id !== undefined && this.#inbox.forget(scope)) {
      this.#replies.answer(scope, { jsonrpc: "2.0", id, result: value === undefined ? null : value });
    } else {
      this.onAnswered(scope);
    }
  }

  fail(scope: RequestScope, error: unknown): void {
    if (!isRpcError(error) && !scope.aborted) {
      this.onError(failureOf(`The handler of ${scope.method}`, error));
    }
    const { id } = scope;
    if (id !== undefined && this.#inbox.forget(scope)) {
      this.#replies.answer(scope, { jsonrpc: "2.0", id, error: toErrorObject(error) });
    } else {
      this.onAnswered(scope);
    }
  }

  holdIdleTime(): () => void {
    return this.#outbox.hold();
  }

  park(scope: RequestScope): () => void {
    this.#inbox.park(scope);
    this.onRoom();
    this.onSettled();
    return () => {
      this.#inbox.unpark(scope);
    };
  }

  onAnswered(scope: RequestScope): void {
    scope.end();
    this.#inbox.finish(scope);
    this.onRoom();
    this.onSettled();
  }

  onSettled(): void {
    if (this.#inbox.idle) {
      this.#drain?.end();
      if (this.#outbox.size === 0) {
        runHook(this.#options, () => this.#options.onIdle?.());
      }
    }
  }

  async #finish(reason?: unknown, drainMs = this.#drainMs): Promise<void> {
    this.#clock.clearTimeout(this.#losing);
    this.#drain = new Drain(this.#clock);
    await this.#drain.start(this.#inbox.idle ? 0 : drainMs);
    this.#drain = undefined;
    this.#outbox.end(reason);
    this.#inbox.abortAll(connectionClosed(undefined, { cause: reason }));
    this.#isDisconnecting = true;
    try {
      await this.#connection.close(reason);
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#gate.close();
    this.#resolveClosed?.(this.#failure ?? {});
  }

  onError(error: unknown): void {
    reportError(this.#options, error);
  }
}
