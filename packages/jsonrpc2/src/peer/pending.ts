import { SignalWatch, type Clock } from "@tenon/base";

import { LocalError } from "../error.ts";
import { IdTable } from "../id-table.ts";
import type { Notification, RequestId } from "../message.ts";
import type { Connection } from "../transport.ts";
import type { CallOptions } from "./options.ts";

/** Owns a pending call, and rejects it. */
interface Owner {
  abandon(call: PendingCall, reason: unknown): void;
}

/** One outbound call without a response. */
export class PendingCall {
  readonly id: RequestId;
  readonly method: string;
  readonly relatedTo: RequestId | undefined;
  readonly onRelated: ((notification: Notification) => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly #owner: Owner;
  readonly #idleMs: number;
  readonly #totalDeadline: number;
  #idleDeadline: number;

  constructor(
    owner: Owner,
    id: RequestId,
    method: string,
    settle: { resolve: (result: unknown) => void; reject: (reason: unknown) => void },
    limits: { now: number; timeoutMs: number; totalTimeoutMs: number },
    options: CallOptions | undefined,
  ) {
    this.#owner = owner;
    this.id = id;
    this.method = method;
    this.resolve = settle.resolve;
    this.reject = settle.reject;
    this.relatedTo = options?.relatedTo;
    this.onRelated = options?.onRelated;
    this.#idleMs = limits.timeoutMs;
    this.#idleDeadline = limits.now + limits.timeoutMs;
    this.#totalDeadline = limits.now + limits.totalTimeoutMs;
    this.signal = options?.signal;
  }

  /** When this call times out, on the table's clock; `Infinity` if never. */
  get deadline(): number {
    return Math.min(this.#idleDeadline, this.#totalDeadline);
  }

  /** Restarts the idle timeout. */
  touch(now: number): void {
    this.#idleDeadline = now + this.#idleMs;
  }

  /**
   * Why the call timed out, if it has.
   *
   * @param connection - Its `diagnosis` is a possible explanation.
   */
  expiry(now: number, connection: Pick<Connection, "diagnosis">): LocalError | undefined {
    if (now < this.deadline) {
      return undefined;
    }
    const isIdle = this.#idleDeadline <= this.#totalDeadline;
    // Only a caller that takes related messages has asked the receiver to send some.
    const isReported = this.onRelated !== undefined;
    const detail = isIdle
      ? `no response${isReported ? " or progress" : ""} for ${this.#idleMs} ms (timeoutMs).`
      : `no response within the total timeout (totalTimeoutMs).`;
    const advice =
      isIdle && isReported ? " Increase it, or have the receiver report progress." : " Increase it.";
    const message = `The call of ${JSON.stringify(this.method)} timed out: ${detail}`;
    const { diagnosis } = connection;
    return new LocalError("TIMEOUT", message + (diagnosis === undefined ? advice : ` ${diagnosis}`));
  }

  /** Rejects the call. */
  abandon(reason: unknown): void {
    this.#owner.abandon(this, reason);
  }
}

/**
 * The pending outbound calls. All their deadlines share one timer, set for the earliest: most calls
 * get their response before it fires, and need no timer.
 */
export class PendingCalls {
  readonly #calls = new IdTable<PendingCall>();
  readonly #clock: Clock;
  readonly #connection: Pick<Connection, "diagnosis">;
  /** Created on first use, because calls usually have no signal. */
  #signals: SignalWatch | undefined;
  #timer: unknown;
  #timerAt = Infinity;
  #holds = 0;

  /** @param connection - Its `diagnosis` may explain that a call gets no response. */
  constructor(clock: Clock, connection: Pick<Connection, "diagnosis">) {
    this.#clock = clock;
    this.#connection = connection;
  }

  get size(): number {
    return this.#calls.size;
  }

  get(id: RequestId): PendingCall | undefined {
    return this.#calls.get(id);
  }

  /** The pending call, if there is exactly one. */
  only(): PendingCall | undefined {
    return this.#calls.size === 1 ? this.#calls.values()[0] : undefined;
  }

  add(call: PendingCall): void {
    if (this.#calls.size === 0) {
      this.#keepTimer(true);
    }
    this.#calls.set(call.id, call);
    if (call.signal !== undefined) {
      this.#signals ??= new SignalWatch();
      this.#signals.add(call.signal, call);
    }
    if (call.deadline < this.#timerAt) {
      this.#schedule(call.deadline);
    }
  }

  /** Removes a call, if it is pending. The caller settles it, so that it settles once. */
  take(id: RequestId): PendingCall | undefined {
    const call = this.#calls.take(id);
    if (call !== undefined) {
      this.#release(call);
      if (this.#calls.size === 0 && !this.#keepTimer(false)) {
        this.#stop();
      }
    }
    return call;
  }

  /** Removes all calls and stops the timer. */
  takeAll(): readonly PendingCall[] {
    const calls = this.#calls.values();
    this.#calls.clear();
    for (const call of calls) {
      this.#release(call);
    }
    this.#stop();
    return calls;
  }

  /**
   * Pauses the idle timeout of all calls until the returned function is called, which restarts it.
   * Several holds may overlap.
   */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    return () => {
      if (isHeld) {
        isHeld = false;
        this.#holds--;
        this.#touchAll();
      }
    };
  }

  #touchAll(): void {
    const now = this.#clock.now();
    for (const call of this.#calls.values()) {
      call.touch(now);
    }
  }

  #release(call: PendingCall): void {
    if (call.signal !== undefined) {
      this.#signals?.remove(call.signal, call);
    }
  }

  /**
   * Keeps the timer for the next call, which usually follows soon, if the timer does not keep the
   * process alive. Returns whether it was kept.
   */
  #keepTimer(keepsAlive: boolean): boolean {
    return this.#timer === undefined || this.#clock.keepAlive?.(this.#timer, keepsAlive) === true;
  }

  #stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  #schedule(deadline: number): void {
    this.#stop();
    this.#timerAt = deadline;
    const delayMs = Math.max(0, deadline - this.#clock.now());
    this.#timer = this.#clock.setTimeout(() => this.#expire(), delayMs, true);
  }

  #expire(): void {
    this.#stop();
    if (this.#holds > 0) {
      this.#touchAll();
    }
    const now = this.#clock.now();
    let next = Infinity;
    // Calls that were made in this loop are not due.
    for (const call of this.#calls.values()) {
      const error = call.expiry(now, this.#connection);
      if (error === undefined) {
        next = Math.min(next, call.deadline);
      } else {
        call.abandon(error);
      }
    }
    if (next < this.#timerAt) {
      this.#schedule(next);
    }
  }
}
