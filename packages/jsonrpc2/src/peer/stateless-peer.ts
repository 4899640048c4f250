import {
  checkOptionNames,
  readLimits,
  reportError,
  Roster,
  systemClock,
  type Clock,
  type Enrolled,
} from "@tenon/base";

import {
  connectionClosed,
  ErrorCode,
  isLocalError,
  isRpcError,
  LocalError,
  toErrorObject,
} from "../error.ts";
import type { MessageExtra } from "../extra.ts";
import type { Notification, Request, Response } from "../message.ts";
import { writeAccepted } from "../write-accepted.ts";
import { failureOf } from "./failure.ts";
import type { Handler, OutgoingCall, Sender } from "./handler.ts";
import { reportUnsent } from "./hooks.ts";
import { peerLimits, type CloseOptions, type PeerLimits, type PeerOptions } from "./options.ts";
import { runHandler, type Outcome } from "./run-handler.ts";
import { RequestScope, type ScopeOwner } from "./scope.ts";
import { withoutPayload } from "./unserializable.ts";

/** The sender of a message that arrived without a connection, and the way back to it. */
export interface Caller {
  /** The data that the transport has attached to the message. */
  readonly extra?: MessageExtra | undefined;
  /**
   * Sends a notification on behalf of the request.
   *
   * @returns A promise while the client reads too slowly; `undefined` if the notification was
   *   accepted.
   */
  notify(message: Notification): Promise<void> | undefined;
  /**
   * Sends the response.
   *
   * @throws `LocalError` `NOT_SERIALIZABLE`: then it is called once more, with an error response
   *   that JSON can carry.
   */
  answer(response: Response): void;
  /**
   * Called once when the message no longer occupies the server: its handler has settled, or was
   * given up by {@link Handling.close}.
   */
  ended?(): void;
}

/** A message that is being handled. */
export interface Handling {
  /**
   * Cancels the request because its client has disconnected: the signal of its handler fires, and
   * no more messages are sent.
   */
  cancel(reason: unknown): void;
  /**
   * Resolves when the message has been handled. A handler that only waits (see `Scope.park`) ends
   * at once. After `drainMs` any other handler is aborted, and its request gets `-32603`.
   */
  close(options?: Pick<CloseOptions, "drainMs" | "reason">): Promise<void>;
}

/** Options of {@link StatelessPeer}. */
export interface StatelessOptions {
  /**
   * Sends every notification of a handler. Call `next` with the notification, or with a changed
   * copy of it.
   */
  readonly send?: ((call: OutgoingCall, next: Sender) => Promise<unknown>) | undefined;
  /**
   * Called with errors that are not returned to a caller: the error of a handler, a failed
   * response. Default: `console.error`; `() => {}` discards them.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with a response that was not sent, and why. Default: the error goes to `onError`. See
   * `PeerOptions`.
   */
  readonly onUnsent?: PeerOptions["onUnsent"];
  /**
   * Limits how long handlers may continue after {@link StatelessPeer.close}. Each limit has its own
   * default.
   */
  readonly limits?: Pick<PeerLimits, "drainMs"> | undefined;
  /** Sets timers. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** {@link StatelessOptions}, with the limit filled in. */
interface Settings extends Pick<StatelessOptions, "send" | "onError" | "onUnsent" | "clock"> {
  readonly drainMs: number;
}

/**
 * Handles messages that do not belong to a connection. Like `Peer`, it sends one response per
 * request, cancels and drains. It does not read, correlate or send requests, so several senders may
 * use the same request IDs.
 */
export class StatelessPeer {
  readonly #settings: Settings;
  readonly #running = new Roster<Attendance>();

  /**
   * A peer without messages.
   *
   * @throws `TypeError` for options that do not exist or are out of range.
   */
  constructor(options: StatelessOptions = {}) {
    const { send, onError, onUnsent, clock } = options;
    const rules = { drainMs: peerLimits.drainMs };
    checkOptionNames("new StatelessPeer", options, "send onError onUnsent limits clock", rules);
    const { drainMs } = readLimits(options.limits, rules);
    this.#settings = { send, onError, onUnsent, clock, drainMs };
  }

  /** How many messages are being handled. */
  get size(): number {
    return this.#running.size;
  }

  /**
   * Runs the handler of a message. If the handler returns synchronously, the response has been sent
   * when this method returns.
   */
  handle(message: Request | Notification, caller: Caller, handler: Handler): Handling {
    const attendance = new Attendance(message, caller, this.#settings, this.#running);
    attendance.run(handler);
    return attendance;
  }

  /**
   * Closes every message that is being handled: see {@link Handling.close}. Later messages are
   * handled as before.
   */
  async close(options?: Pick<CloseOptions, "drainMs" | "reason">): Promise<void> {
    await Promise.all(this.#running.members().map((attendance) => attendance.close(options)));
  }
}

/** One message without a connection, while it is being handled. */
class Attendance implements Handling, ScopeOwner, Outcome<RequestScope>, Enrolled {
  place = -1;
  readonly #scope: RequestScope;
  readonly #caller: Caller;
  readonly #settings: Settings;
  readonly #running: Roster<Attendance>;
  /** Ends a handler that only waits. */
  #endWait: (() => void) | undefined;
  #onEnd: (() => void)[] | undefined;

  constructor(
    message: Request | Notification,
    caller: Caller,
    settings: Settings,
    running: Roster<Attendance>,
  ) {
    this.#scope = new RequestScope(this, message, undefined, true, caller.extra);
    this.#caller = caller;
    this.#settings = settings;
    this.#running = running;
    running.add(this);
  }

  run(handler: Handler): void {
    runHandler(handler, this.#scope, this);
  }

  send(call: OutgoingCall): Promise<unknown> {
    const { send } = this.#settings;
    return send === undefined ? this.#send(call) : send(call, (changed) => this.#send(changed));
  }

  #send({ kind, method, params }: OutgoingCall): Promise<unknown> {
    if (kind === "request") {
      const text = `Cannot send ${method}: without a session the server cannot send requests to the client.`;
      return Promise.reject(new LocalError("INVALID_STATE", text));
    }
    // The sender of a notification has no stream to be notified on.
    return this.#scope.id === undefined
      ? writeAccepted
      : (this.#caller.notify(
          params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params },
        ) ?? writeAccepted);
  }

  park(_scope: RequestScope, end?: () => void): () => void {
    this.#endWait = end;
    return () => {
      this.#endWait = undefined;
    };
  }

  cancel(reason: unknown): void {
    if (this.place >= 0) {
      this.#scope.abort(reason);
    }
  }

  async close({ drainMs = this.#settings.drainMs, reason }: CloseOptions = {}): Promise<void> {
    if (this.place < 0) {
      return;
    }
    const { clock = systemClock } = this.#settings;
    const endWait = this.#endWait;
    const ended = new Promise<void>((resolve) => (this.#onEnd ??= []).push(resolve));
    endWait?.();
    if (drainMs > 0 || endWait !== undefined) {
      // Without any time to drain, a handler that has stopped waiting still has the rest of this
      // turn.
      const timer = clock.setTimeout(() => this.#giveUp(reason), drainMs, true);
      await ended;
      clock.clearTimeout(timer);
    } else {
      this.#giveUp(reason);
    }
  }

  #giveUp(reason: unknown): void {
    const { id } = this.#scope;
    if (id !== undefined) {
      const error = { code: ErrorCode.InternalError, message: "The server is shutting down" };
      this.#answer({ jsonrpc: "2.0", id, error });
    }
    this.#scope.abort(connectionClosed(undefined, { cause: reason }));
    this.#leave();
  }

  succeed({ id }: RequestScope, value: unknown): void {
    if (id !== undefined) {
      this.#answer({ jsonrpc: "2.0", id, result: value === undefined ? null : value });
    }
    this.#leave();
  }

  fail({ id, method, aborted }: RequestScope, error: unknown): void {
    if (!isRpcError(error) && !aborted) {
      reportError(this.#settings, failureOf(`The handler of ${method}`, error));
    }
    if (id !== undefined) {
      this.#answer({ jsonrpc: "2.0", id, error: toErrorObject(error) });
    }
    this.#leave();
  }

  /** Sends the response, unless the request was cancelled or aborted before. */
  #answer(response: Response): void {
    if (this.place < 0 || this.#scope.aborted) {
      return;
    }
    this.#scope.end();
    try {
      this.#caller.answer(response);
    } catch (error) {
      const instead = reportUnsent(this.#settings, this.#scope, response, error);
      if (isLocalError(error, "NOT_SERIALIZABLE")) {
        this.#answerInstead(instead ?? withoutPayload(response));
      }
    }
  }

  #answerInstead(response: Response): void {
    try {
      this.#caller.answer(response);
    } catch (error) {
      reportError(this.#settings, error);
    }
  }

  #leave(): void {
    if (this.#running.delete(this)) {
      this.#caller.ended?.();
      this.#onEnd?.forEach((resolve) => resolve());
    }
  }
}
