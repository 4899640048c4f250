import type { Clock, ResolvedLimits } from "@tenon/base";

import { connectionClosed, ErrorCode, fromErrorObject, LocalError, responseOverLimit } from "../error.ts";
import type { Malformed, Notification, Outgoing, Request, RequestId, Response } from "../message.ts";
import type { Connection } from "../transport.ts";
import { writeAccepted } from "../write-accepted.ts";
import type { PeerEvents } from "./events.ts";
import type { OutgoingCall } from "./handler.ts";
import { runHook } from "./hooks.ts";
import type { CallOptions, PeerLimits, PeerOptions } from "./options.ts";
import { PendingCall, PendingCalls } from "./pending.ts";

/**
 * Time after which an error without an ID counts as the response to the only pending call, in
 * milliseconds.
 */
const unidentifiedMs = 1000;

/** The outbound half of a peer: sends calls and notifications, and settles calls. */
export class Outbox {
  readonly #connection: Connection;
  readonly #options: PeerOptions;
  readonly #maxPending: number;
  readonly #timeoutMs: number;
  readonly #totalTimeoutMs: number;
  readonly #clock: Clock;
  readonly #events: PeerEvents;
  readonly #pending: PendingCalls;
  #lastId = 0;
  /**
   * Whether a message that is not a request was sent, and no later request has its response. An
   * error without an ID may be about that message.
   */
  #isUntold = false;
  /** The last request before that message. */
  #untoldAfter = 0;
  #ended: { cause: unknown } | undefined;

  constructor(
    connection: Connection,
    options: PeerOptions,
    limits: ResolvedLimits<PeerLimits>,
    clock: Clock,
    events: PeerEvents,
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#maxPending = limits.maxPending;
    this.#timeoutMs = limits.timeoutMs;
    this.#totalTimeoutMs = limits.totalTimeoutMs;
    this.#clock = clock;
    this.#events = events;
    this.#pending = new PendingCalls(clock, connection);
  }

  /** The number of pending calls. */
  get size(): number {
    return this.#pending.size;
  }

  /** Sends the message that the interceptors pass on. */
  send({ kind, method, params, options }: OutgoingCall): Promise<unknown> {
    if (this.#ended !== undefined) {
      return Promise.reject(this.#closed(this.#ended));
    }
    if (options?.signal?.aborted === true) {
      return Promise.reject(options.signal.reason);
    }
    return kind === "notification"
      ? this.#notify(method, params, options)
      : this.#call(method, params, options);
  }

  #notify(method: string, params: object | undefined, options: CallOptions | undefined): Promise<void> {
    const message: Notification =
      params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
    const written = this.write(message, options, options?.signal);
    return written === writeAccepted
      ? written
      : written.catch((error: unknown) => {
          this.#events.onWriteError(error);
          throw error;
        });
  }

  #call(method: string, params: object | undefined, options: CallOptions | undefined): Promise<unknown> {
    if (this.#pending.size >= this.#maxPending) {
      const message = `Too many pending calls: the limit is ${this.#maxPending} (limits.maxPending).`;
      return Promise.reject(new LocalError("LIMIT_EXCEEDED", message));
    }
    const { timeoutMs = this.#timeoutMs, totalTimeoutMs = this.#totalTimeoutMs } = options ?? {};
    if (!isTimeout(timeoutMs) || !isTimeout(totalTimeoutMs)) {
      const problem = isTimeout(timeoutMs) ? ["totalTimeoutMs", totalTimeoutMs] : ["timeoutMs", timeoutMs];
      return Promise.reject(badTimeout(problem));
    }
    const id = this.#options.nextId?.() ?? this.#lastId + 1;
    if (typeof id === "number") {
      this.#lastId = id;
    }
    if (this.#pending.get(id) !== undefined) {
      const message = `nextId returned ${JSON.stringify(id)}, which is still pending.`;
      return Promise.reject(new LocalError("INVALID_STATE", message));
    }
    if (options?.onId !== undefined) {
      options.onId(id);
      if (options.signal?.aborted === true) {
        return Promise.reject(options.signal.reason);
      }
    }
    return new Promise((resolve, reject) => {
      this.#pending.add(
        new PendingCall(
          this,
          id,
          method,
          { resolve, reject },
          { now: this.#clock.now(), timeoutMs, totalTimeoutMs },
          options,
        ),
      );
      const request: Request =
        params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
      const written = this.write(request, options);
      if (written !== writeAccepted) {
        written.catch((error: unknown) => {
          this.#reject(id, error);
          this.#events.onWriteError(error);
        });
      }
      this.#events.onRoom();
    });
  }

  /** Writes a message; a transport that throws instead of rejecting does no harm. */
  write(message: Outgoing, options?: CallOptions, signal?: AbortSignal): Promise<void> {
    if (!("method" in message && "id" in message)) {
      this.#isUntold = true;
      this.#untoldAfter = this.#lastId;
    }
    try {
      const relatedTo = options?.relatedTo;
      const isPlain = relatedTo === undefined && signal === undefined;
      return this.#connection.write(message, isPlain ? undefined : { relatedTo, signal });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Settles the call of `response`. Returns false if there is no such call. */
  settle(response: Response): boolean {
    // A response may have no ID, or `null`: no call has that.
    const call = this.#pending.take(response.id as RequestId) ?? this.#takeUnnamed(response);
    if (call === undefined) {
      return false;
    }
    if (this.#isUntold && Number(response.id) > this.#untoldAfter) {
      this.#isUntold = false;
    }
    if ("error" in response) {
      call.reject(fromErrorObject(response.error));
    } else {
      call.resolve(response.result);
    }
    this.#events.onSettled();
    return true;
  }

  /**
   * Returns the call of an error without an ID, which some servers send although they have read the
   * request. The call of a response whose ID has the wrong type is settled later.
   */
  #takeUnnamed(response: Response): PendingCall | undefined {
    const { id } = response;
    if (id !== undefined && id !== null) {
      const turned = typeof id === "string" ? Number(id) : String(id);
      // Some servers turn numbers into strings. A response with the ID itself has precedence.
      this.#settleLater(String(turned) === String(id) ? turned : undefined, response, 0);
      return undefined;
    }
    // Over HTTP each request has its own exchange.
    const only = this.#connection.answersUnidentified === false ? undefined : this.#pending.only();
    if (only === undefined || !("error" in response)) {
      return undefined;
    }
    if (!this.#isUntold) {
      return this.#pending.take(only.id);
    }
    if (response.error.code !== ErrorCode.MethodNotFound) {
      // The error may also belong to a notification that was sent before.
      this.#settleLater(only.id, response, unidentifiedMs);
    }
    return undefined;
  }

  /** Settles the call `id` with a response that does not name it, unless its own response comes. */
  #settleLater(id: RequestId | undefined, response: Response, delayMs: number): void {
    const call = id === undefined ? undefined : this.#pending.get(id);
    if (call !== undefined && id !== undefined) {
      const settle = (): void => {
        if (this.#pending.get(id) === call) {
          this.settle({ ...response, id });
        }
      };
      this.#clock.setTimeout(settle, delayMs, true);
    }
  }

  /** Rejects the call that a broken response was meant for. Returns false if there is none. */
  settleMalformed({ id, malformed, limit }: Malformed): boolean {
    return (
      id !== undefined &&
      this.#reject(
        id,
        limit === undefined
          ? new LocalError("INVALID_STATE", `Invalid response: ${malformed.message}`)
          : responseOverLimit(limit),
      )
    );
  }

  /**
   * Passes a notification to the call it is about and restarts the idle timeout of that call.
   * Returns false if there is no such call.
   */
  relate(id: RequestId, notification: Notification): boolean {
    const call = this.#pending.get(id);
    if (call === undefined) {
      return false;
    }
    call.touch(this.#clock.now());
    runHook(this.#options, () => call.onRelated?.(notification));
    return true;
  }

  /** See {@link PendingCalls.hold}. */
  hold(): () => void {
    return this.#pending.hold();
  }

  /**
   * Rejects a pending call and notifies the remote peer. Called by its abort listener and by the
   * timer.
   */
  abandon(call: PendingCall, reason: unknown): void {
    if (this.#pending.take(call.id) === undefined) {
      return;
    }
    call.reject(reason);
    this.#announce(call, reason);
    this.#events.onAbandoned(call.id, reason);
  }

  /**
   * Notifies the remote peer that a call was cancelled. Runs in an abort listener, where a throw
   * would end the process.
   */
  #announce({ id, method, relatedTo }: PendingCall, reason: unknown): void {
    runHook(this.#options, () => {
      const notification = this.#options.cancellation?.notification(id, reason, method);
      if (notification !== undefined) {
        this.write({ jsonrpc: "2.0", ...notification }, { relatedTo }).catch((error: unknown) => {
          this.#events.onWriteError(error);
        });
      }
    });
  }

  /** Rejects everything pending, in this turn, and everything later. The first cause stays. */
  end(cause?: unknown): void {
    this.#ended ??= { cause };
    const calls = this.#pending.takeAll();
    if (calls.length > 0) {
      const error = this.#closed(this.#ended);
      for (const call of calls) {
        call.reject(error);
      }
    }
  }

  /** The error of a call on a connection that has ended. The transport may know a missing cause. */
  #closed({ cause }: { readonly cause: unknown }): Error {
    const why = cause === undefined ? this.#connection.diagnosis : undefined;
    return connectionClosed(why && `The connection is closed. ${why}`, { cause });
  }

  /** Returns false if there is no such call. */
  #reject(id: RequestId, error: unknown): boolean {
    const call = this.#pending.take(id);
    if (call !== undefined) {
      call.reject(error);
      this.#events.onSettled();
    }
    return call !== undefined;
  }
}

function isTimeout(value: unknown): value is number {
  return typeof value === "number" && value >= 1;
}

function badTimeout([name, value]: readonly unknown[]): TypeError {
  const expected = "must be a number of 1 or more, or Infinity for no limit";
  return new TypeError(`${String(name)} ${expected}; got ${String(value)}.`);
}
