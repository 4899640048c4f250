import type { RequestId } from "@tenon/jsonrpc2";
import { IdTable } from "@tenon/jsonrpc2/transport";

import { attempt } from "../shared/attempt.ts";
import type { DeniedHead } from "./authorization.ts";
import type { Channel } from "./channel.ts";
import type { Post } from "./post.ts";

/**
 * Maximum number of POSTs of a session that continue although their responses cannot be delivered.
 */
const maxAbandoned = 16;

/** The dependencies of {@link Posts} on its session. */
export interface PostsOwner {
  /** Cancels a request. */
  cancel(id: RequestId): void;
  /** Called when a POST is complete, and when its client has disconnected. */
  rested(): void;
}

/** The requests in flight of one session, by ID, and their POSTs. */
export class Posts {
  readonly #owner: PostsOwner;
  readonly #byId = new IdTable<Post>();
  /** Oldest first. */
  #abandoned: Set<Post> | undefined;

  constructor(owner: PostsOwner) {
    this.#owner = owner;
  }

  /** Whether a client waits for a response, or reads the stream of a response. */
  get attached(): boolean {
    return this.#byId.size > 0 && this.#byId.values().some(({ attached }) => attached);
  }

  has(id: RequestId): boolean {
    return this.#byId.has(id);
  }

  get(id: RequestId): Post | undefined {
    return this.#byId.get(id);
  }

  add(post: Post): void {
    for (const id of post.ids) {
      this.#byId.set(id, post);
    }
  }

  /**
   * Answers a request.
   *
   * @param denied - The head of the HTTP response, if it has none yet and answers nothing else.
   */
  answer(id: RequestId, post: Post, text: string, denied: DeniedHead | undefined): void {
    this.#byId.take(id);
    post.answer(text, denied);
    this.#rest(post);
  }

  /** Sends the responses of a batch. */
  answerAll(post: Post, text: string): void {
    for (const id of post.ids) {
      this.#take(id, post);
    }
    post.answerAll(text);
    this.#rest(post);
  }

  /** Removes a cancelled request, which gets no response. */
  drop(id: RequestId): void {
    const post = this.#byId.take(id);
    if (post !== undefined) {
      post.drop();
      this.#rest(post);
    }
  }

  /**
   * The client of a POST has disconnected, which does not cancel its requests. Only the newest
   * requests without a reachable client continue, because they count towards `maxInFlight`.
   *
   * @source R-353
   */
  leave(post: Post): void {
    if (!post.open) {
      return;
    }
    this.#owner.rested();
    if (!post.abandoned) {
      return;
    }
    const abandoned = (this.#abandoned ??= new Set());
    abandoned.add(post);
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
    for (const post of new Set(this.#byId.values())) {
      attempt(() => post.close(post.ids.filter((id) => this.#byId.get(id) === post)), onError);
    }
    this.#byId.clear();
    this.#abandoned = undefined;
  }

  /** A new request may have the ID of a cancelled request. */
  #take(id: RequestId, post: Post): void {
    if (this.#byId.get(id) === post) {
      this.#byId.take(id);
    }
  }

  #rest(post: Post): void {
    if (!post.open) {
      this.#abandoned?.delete(post);
    }
    this.#owner.rested();
  }
}
