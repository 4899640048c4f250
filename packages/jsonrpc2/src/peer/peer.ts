import { checkOptionNames } from "@tenon/base";

import type { RequestId } from "../message.ts";
import type { AnyMethods, ParamsOf, ResultOf } from "../methods.ts";
import type { Connection, Network } from "../transport.ts";
import { Conversation } from "./conversation.ts";
import { peerLimits, type CallOptions, type Closed, type CloseOptions, type PeerOptions } from "./options.ts";

/**
 * One end of a JSON-RPC 2.0 {@link Connection}: it correlates calls with responses, dispatches
 * requests and notifications, cancels, times out and shuts down. Reading starts at construction.
 * Both peers may call each other at any time.
 *
 * - **Order.** Handlers start in the order in which messages arrive. The handler of a notification
 *   has run up to its first `await` before a message that arrived later is processed, so a response
 *   never overtakes it. Requests run concurrently, up to `maxInFlight`; further requests wait.
 * - **Back pressure.** With `maxBacklog` requests waiting, reading pauses until a request finishes
 *   and the transport accepts its response. If no request finishes for a second, or an outbound
 *   call is pending, reading continues and further requests are rejected. A handler that calls the
 *   remote peer therefore never waits for itself, and hanging handlers do not block cancellations
 *   and responses.
 * - **Cancellation.** An aborted call rejects at once. A cancelled request gets no response. Late
 *   responses are dropped.
 * - **Closing.** When the connection ends, all pending calls reject in the same turn with
 *   `CONNECTION_CLOSED` and its cause. After a normal end of input, running handlers have `drainMs`
 *   to finish and respond; after a failure they are aborted. A write that fails with
 *   `CONNECTION_CLOSED` is also such a failure, unless reading ends normally within `drainMs`; any
 *   other failure of a write, such as `undeliverable`, concerns only its message. After `close`, no
 *   handler is started: requests are rejected, notifications are dropped.
 * - **Hooks.** Errors of callbacks, interceptors and handlers never break the connection; see
 *   `PeerOptions.onError`.
 *
 * @example
 * await using peer = new Peer(await transport.connect(), { handler: ({ method }) => `${method} was called` });
 * const answer = await peer.call("add", { a: 1, b: 2 }, { timeoutMs: 5000 });
 *
 * @typeParam Remote - The methods of the remote peer, for typing `call` and `notify`.
 */
export class Peer<Remote = AnyMethods> implements AsyncDisposable {
  /** The network to the remote peer. `undefined` in memory, or if it is unknown. */
  readonly network: Network | undefined;
  readonly #conversation: Conversation;

  /**
   * Starts to read at once.
   *
   * @param connection - Owned by the peer from here on: it alone reads, writes and closes it.
   * @throws `TypeError` for options and limits that do not exist or are out of range.
   */
  constructor(connection: Connection, options: PeerOptions = {}) {
    checkOptionNames(
      "new Peer",
      options,
      [
        "handler receiving sending cancellation relate limits isUrgent batches answerRefused",
        "nextId onUnexpected onError onUnsent onIdle clock",
      ],
      peerLimits,
    );
    this.network = connection.network;
    this.#conversation = new Conversation(connection, options);
  }

  /** Resolves when the connection has ended and everything is released. Never rejects. */
  get closed(): Promise<Closed> {
    return this.#conversation.closed;
  }

  /** True if no handler runs and no call is pending. */
  get idle(): boolean {
    return this.#conversation.idle;
  }

  /** How many messages have arrived so far, malformed ones included; a batch counts as one. */
  get received(): number {
    return this.#conversation.received;
  }

  /**
   * Calls a method of the remote peer.
   *
   * @returns The result, as received. It is not validated.
   * @throws `RpcError` for an error response; `signal.reason` if aborted; `LocalError` `TIMEOUT`,
   *   `CONNECTION_CLOSED`, `LIMIT_EXCEEDED` (see `limits.maxPending`) or `NOT_SERIALIZABLE`;
   *   `TypeError` for a timeout that is not valid.
   */
  call<M extends keyof Remote & string>(
    method: M,
    params?: ParamsOf<Remote, M>,
    options?: CallOptions,
  ): Promise<ResultOf<Remote, M>> {
    return this.#conversation.sendNew({ kind: "request", method, params, options }) as Promise<
      ResultOf<Remote, M>
    >;
  }

  /**
   * Notifies the remote peer. Settles when the transport has accepted the message. This does not
   * mean that the remote peer has received it.
   */
  async notify<M extends keyof Remote & string>(
    method: M,
    params?: ParamsOf<Remote, M>,
    options?: CallOptions,
  ): Promise<void> {
    await this.#conversation.sendNew({ kind: "notification", method, params, options });
  }

  /**
   * Cancels an inbound request as if the remote peer had done so: its signal aborts, and no
   * response is sent.
   */
  cancel(id: RequestId, reason?: unknown): void {
    this.#conversation.cancel(id, reason);
  }

  /**
   * Pauses the idle timeout (`timeoutMs`) of all pending calls. Use it while the remote peer itself
   * waits for this peer, for example until a user has filled in a form. `totalTimeoutMs` continues.
   *
   * @returns A function that restarts the idle timeout of all pending calls. Idempotent; several
   *   holds may overlap.
   */
  holdIdleTime(): () => void {
    return this.#conversation.holdIdleTime();
  }

  /**
   * Ends the conversation: refuses new requests and calls, lets running handlers finish for
   * `drainMs`, aborts the rest, closes the connection. Pending calls then reject. Idempotent: later
   * calls wait for the same end.
   */
  close(options?: CloseOptions): Promise<void> {
    return this.#conversation.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
