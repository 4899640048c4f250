import {
  isMany,
  accepted,
  connectionClosed,
  extra,
  IdTable,
  isResponse,
  LocalError,
  MessageQueue,
  type Connection,
  type Incoming,
  type Message,
  type MessageExtra,
  type Outgoing,
  type Response,
  type WriteOptions,
} from "@tenon/jsonrpc2";

import { attempt } from "../shared/attempt.ts";

/** Where the answer to a request goes, and what is sent on its behalf before. It knows the id that the client chose; the one in an answer is the lane's. */
export interface LaneCall {
  deliver(message: Message): Promise<void> | undefined;
  finish(response: Response): void;
}

/** A request on its way into a lane. */
export interface LaneRequest {
  readonly method: string;
  readonly params?: object | undefined;
  readonly extra?: MessageExtra | undefined;
}

/**
 * One connection that carries the requests of many clients: none of them depends on another, so a session for each would be waste. Ids are replaced on the way
 * in, since clients choose theirs without knowing of each other, and every message on the way out belongs to a request; what belongs to none is dropped.
 *
 * @source T-34, T-35
 */
export class Lane implements Connection {
  readonly #calls = new IdTable<LaneCall>();
  readonly #onEnd: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #once: boolean;
  readonly #inbox = new MessageQueue(Infinity);
  #lastId = 0;
  #closed = false;

  /**
   * @param onEnd - Called once when the lane can carry nothing any more.
   * @param onError - Takes the failures of answers that are given because the lane ends.
   * @param once - The lane ends as soon as nothing is under way on it.
   */
  constructor(onEnd: () => void, onError: (error: unknown) => void, once: boolean) {
    this.#onEnd = onEnd;
    this.#onError = onError;
    this.#once = once;
  }

  /** How many requests are under way. */
  get load(): number {
    return this.#calls.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends a request in. @returns The id by which it can be cancelled. */
  dispatch(call: LaneCall, request: LaneRequest): number {
    const id = ++this.#lastId;
    this.#calls.set(id, call);
    const { method, params } = request;
    void this.#inbox.put(
      params === undefined
        ? { jsonrpc: "2.0", id, method, [extra]: request.extra }
        : { jsonrpc: "2.0", id, method, params, [extra]: request.extra },
    );
    return id;
  }

  /** Sends a notification in. */
  inform(notification: LaneRequest): void {
    this.#put(notification);
    if (this.#once && this.#calls.size === 0) {
      this.#inbox.end();
    }
  }

  #put({ method, params, extra: known }: LaneRequest): void {
    void this.#inbox.put(
      params === undefined
        ? { jsonrpc: "2.0", method, [extra]: known }
        : { jsonrpc: "2.0", method, params, [extra]: known },
    );
  }

  /** Cancels a request as its client would: nothing more is sent for it. @source R-294 */
  cancel(id: number, reason: string): void {
    if (this.#calls.take(id) !== undefined) {
      this.#put({ method: "notifications/cancelled", params: { requestId: id, reason } });
      this.#endIfDone();
    }
  }

  read(): Promise<Incoming | undefined> {
    return this.#inbox.read();
  }

  write(message: Outgoing, options?: WriteOptions): Promise<void> {
    if (this.#closed) {
      return Promise.reject(connectionClosed());
    }
    if (isMany(message)) {
      return Promise.reject(new LocalError("INVALID_STATE", "There are no batches without a session."));
    }
    if (isResponse(message)) {
      return this.#finish(message);
    }
    if ("id" in message) {
      const text = "Without a session the server cannot ask the client anything.";
      return Promise.reject(new LocalError("INVALID_STATE", text));
    }
    const call = this.#calls.get(options?.relatedTo as number);
    return call?.deliver(message) ?? accepted;
  }

  close(): Promise<void> {
    this.end("The server is shutting down");
    return Promise.resolve();
  }

  /** Answers what is under way with an error. Idempotent. @param message - That of the error. */
  end(message: string): void {
    if (!this.#closed) {
      this.#closed = true;
      const calls = this.#calls.values();
      this.#calls.clear();
      const error = { code: -32603, message };
      for (const call of calls) {
        attempt(() => call.finish({ jsonrpc: "2.0", id: null, error }), this.#onError);
      }
      this.#inbox.end({ discard: true });
      this.#onEnd();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #finish(response: Response): Promise<void> {
    const id = response.id as number;
    const call = this.#calls.get(id);
    if (call !== undefined) {
      try {
        call.finish(response);
      } catch (error) {
        // What JSON cannot carry: the peer answers again, with an error.
        return Promise.reject(error);
      }
      this.#calls.take(id);
      this.#endIfDone();
    }
    return accepted;
  }

  #endIfDone(): void {
    if (this.#once && this.#calls.size === 0) {
      void this.close();
    }
  }
}
