import type { Exchange, HeaderFields } from "@tenon/http/server";
import type { Request, RequestId } from "@tenon/jsonrpc2";
import { IdTable } from "@tenon/jsonrpc2/transport";

import { attempt } from "../shared/attempt.ts";
import type { DeniedHead } from "./authorization.ts";
import type { Channel } from "./channel.ts";
import type { Reply } from "./reply.ts";

/**
 * Maximum number of POSTs of a session that continue although their responses cannot be delivered.
 */
const maxAbandoned = 16;

/** The dependencies of {@link OpenReplies} on its session. */
export interface OpenRepliesOwner {
  /** Cancels a request. */
  cancel(id: RequestId): void;
  /** Called when a POST is complete, and when its client has disconnected. */
  rested(): void;
}

/** The requests in flight of one session, by ID, and their POSTs. */
export class OpenReplies {
  readonly #owner: OpenRepliesOwner;
  readonly #byId = new IdTable<Reply>();
  /** Oldest first. */
  #abandoned: Set<Reply> | undefined;

  constructor(owner: OpenRepliesOwner) {
    this.#owner = owner;
  }

  /** Whether a client waits for a response, or reads the stream of a response. */
  get attached(): boolean {
    return this.#byId.size > 0 && this.#byId.values().some(({ attached }) => attached);
  }

  has(id: RequestId): boolean {
    return this.#byId.has(id);
  }

  get(id: RequestId): Reply | undefined {
    return this.#byId.get(id);
  }

  add(reply: Reply): void {
    for (const id of reply.ids) {
      this.#byId.set(id, reply);
    }
  }

  /**
   * Continues the response to a request with the exchange of the same request, which the client has
   * sent again. IDs are used once in a session, but a request can be received twice: HTTP clients
   * repeat it if a connection that was used before ends before the response.
   *
   * @returns Whether the client of the first exchange has left, and the request is the same.
   * @source RFC 9110 section 9.2.2
   */
  takeOver(request: Request, exchange: Exchange, headers: HeaderFields): boolean {
    const reply = this.#byId.get(request.id);
    if (reply?.takeOver(request, exchange, headers) !== true) {
      return false;
    }
    this.#abandoned?.delete(reply);
    return true;
  }

  /**
   * Sends the response to a request.
   *
   * @param denied - The head of the HTTP response, if it has none and contains no other response.
   */
  answer(id: RequestId, reply: Reply, text: string, denied: DeniedHead | undefined): void {
    this.#byId.take(id);
    reply.answer(text, denied);
    this.#rest(reply);
  }

  /** Sends the responses of a batch. */
  answerAll(reply: Reply, text: string): void {
    for (const id of reply.ids) {
      this.#take(id, reply);
    }
    reply.answerAll(text);
    this.#rest(reply);
  }

  /** Removes a cancelled request, which gets no response. */
  drop(id: RequestId): void {
    const reply = this.#byId.take(id);
    if (reply !== undefined) {
      reply.drop();
      this.#rest(reply);
    }
  }

  /**
   * The client of a POST has disconnected, which does not cancel its requests. Only the newest
   * requests without a reachable client continue, because they count towards `maxInFlight`.
   *
   * @source R-353
   */
  leave(reply: Reply): void {
    if (!reply.open) {
      return;
    }
    this.#owner.rested();
    if (!reply.abandoned) {
      return;
    }
    const abandoned = (this.#abandoned ??= new Set());
    abandoned.add(reply);
    const [oldest] = abandoned;
    if (abandoned.size > maxAbandoned && oldest !== undefined) {
      for (const id of oldest.ids.filter((own) => this.#byId.get(own) === oldest)) {
        this.#owner.cancel(id);
        this.drop(id);
      }
    }
  }

  /** The stream of a response; `undefined` if it has ended or never started. */
  channelOf(streamId: string): Channel | undefined {
    return this.#byId.values().find(({ channel }) => channel?.key.streamId === streamId)?.channel;
  }

  /** The session has ended: rejects all pending writes. */
  close(onError: (error: unknown) => void): void {
    for (const reply of new Set(this.#byId.values())) {
      attempt(() => reply.close(reply.ids.filter((id) => this.#byId.get(id) === reply)), onError);
    }
    this.#byId.clear();
    this.#abandoned = undefined;
  }

  /** A new request may have the ID of a cancelled request. */
  #take(id: RequestId, reply: Reply): void {
    if (this.#byId.get(id) === reply) {
      this.#byId.take(id);
    }
  }

  #rest(reply: Reply): void {
    if (!reply.open) {
      this.#abandoned?.delete(reply);
    }
    this.#owner.rested();
  }
}
