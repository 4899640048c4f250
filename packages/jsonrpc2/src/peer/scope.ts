import { connectionClosed } from "../error.ts";
import { extra, type MessageExtra } from "../extra.ts";
import type { RequestId } from "../message.ts";
import type { BatchReply } from "./batch.ts";
import type { OutgoingCall, Scope } from "./handler.ts";
import type { CallOptions } from "./options.ts";

/** Sends the messages on behalf of a request or notification. */
export interface ScopeOwner {
  send(call: OutgoingCall): Promise<unknown>;
  /** Stops counting a running message as such; the function returned counts it again. */
  park(scope: RequestScope, end?: () => void): () => void;
}

/** One inbound message being handled. */
export class RequestScope implements Scope {
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: object | undefined;
  readonly extra: MessageExtra | undefined;
  /** The batch that the request came in, if any. */
  readonly batch: BatchReply | undefined;
  /**
   * Whether the message runs at once and is not counted against `maxInFlight`: a notification or an
   * urgent request.
   */
  readonly isImmediate: boolean;
  /** Its index among those that run. `-1` while it does not run. */
  place = -1;
  readonly #owner: ScopeOwner;
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;
  #ended = false;
  /** Ends a handler that only waits. */
  #endWait: (() => void) | undefined;

  constructor(
    owner: ScopeOwner,
    message: {
      id?: RequestId;
      method: string;
      params?: object;
      readonly [extra]?: MessageExtra | undefined;
    },
    batch: BatchReply | undefined,
    isImmediate: boolean,
    known: MessageExtra | undefined = message[extra],
  ) {
    this.#owner = owner;
    this.id = message.id;
    this.method = message.method;
    this.params = message.params;
    this.extra = known;
    this.batch = batch;
    this.isImmediate = isImmediate;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) {
        this.#controller.abort(this.#reason);
      }
    }
    return this.#controller.signal;
  }

  /** Whether the request must not get a response any more. */
  get aborted(): boolean {
    return this.#aborted;
  }

  call(method: string, params?: object, options?: CallOptions): Promise<unknown> {
    return this.#isOver()
      ? Promise.reject(this.#overError())
      : this.#owner.send({ kind: "request", method, params, options: { ...options, relatedTo: this.id } });
  }

  async notify(method: string, params?: object): Promise<void> {
    if (this.#isOver()) {
      throw this.#overError();
    }
    await this.#owner.send({ kind: "notification", method, params, options: { relatedTo: this.id } });
  }

  park(end?: () => void): () => void {
    const resume = this.#owner.park(this, end);
    this.#endWait = end;
    if (this.#aborted) {
      end?.();
    }
    return () => {
      this.#endWait = undefined;
      resume();
    };
  }

  /** Aborts the signal, for current and future users of it. */
  abort(reason: unknown): void {
    if (!this.#aborted) {
      this.#aborted = true;
      this.#reason = reason;
      this.#controller?.abort(reason);
      this.#endWait?.();
    }
  }

  /** Marks the scope as over. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Whether the request has completed. It then has no stream, and the remote peer does not expect
   * messages for it.
   *
   * @source
   */
  #isOver(): boolean {
    return this.id !== undefined && (this.#ended || this.#aborted);
  }

  #overError(): Error {
    return connectionClosed("Cannot send: the request has already completed.", { cause: this.#reason });
  }
}
