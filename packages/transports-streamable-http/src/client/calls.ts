import { RequestAbort, type WireResponse } from "@tenon/http/client";
import { connectionClosed, type Request, type RequestId } from "@tenon/jsonrpc2/core";
import { IdTable } from "@tenon/jsonrpc2/transport";

import { Sender, type SenderOwner } from "./sender.ts";
import type { Sending } from "./sending.ts";

interface Call {
  readonly modern: boolean;
  readonly signal: RequestAbort;
}

/**
 * The requests of a connection that are in flight. Each can be cancelled until its response
 * arrives.
 */
export class Calls {
  readonly #owner: SenderOwner;
  readonly #calls = new IdTable<Call>();

  constructor(owner: SenderOwner) {
    this.#owner = owner;
  }

  /**
   * Runs work that must precede a modern request, such as a request of the transport itself.
   * {@link cancel} already aborts the modern request meanwhile.
   *
   * @param work - Receives the signal to pass to {@link run}.
   */
  async hold<T>({ id }: Request, work: (signal: RequestAbort) => Promise<T>): Promise<T> {
    const signal = new RequestAbort();
    this.#calls.set(id, { modern: true, signal });
    try {
      return await work(signal);
    } finally {
      this.#calls.take(id);
    }
  }

  /** Sends a request; resolves and rejects like {@link Sender.send}. */
  run(
    request: Request,
    modern: boolean,
    sending: Sending,
    signal: RequestAbort = new RequestAbort(),
  ): Promise<WireResponse | undefined> {
    const { id } = request;
    this.#calls.set(id, { modern, signal });
    return new Sender(this.#owner, { request, modern, signal }, sending).send().then(
      (refused) => {
        this.#calls.take(id);
        return refused;
      },
      (error: unknown) => {
        this.#calls.take(id);
        throw error;
      },
    );
  }

  /**
   * Whether a request is in flight in the modern protocol version, where closing its connection
   * cancels it.
   *
   * @source R-294
   */
  isModern(id: RequestId): boolean {
    return this.#calls.get(id)?.modern === true;
  }

  /** Cancels a request: it is aborted, and rejects. Does nothing if it is not in flight. */
  cancel(id: RequestId): void {
    this.#calls.get(id)?.signal.abort();
  }

  /** Fails a request: it is aborted, and rejects with an error. */
  fail(id: RequestId, error: unknown): void {
    this.#calls.get(id)?.signal.abort(error);
  }

  /** Cancels all requests, because the connection was closed. @param reason - Why. */
  abort(reason: unknown): void {
    for (const { signal } of this.#calls.values()) {
      signal.abort(connectionClosed(undefined, { cause: reason }));
    }
  }
}
