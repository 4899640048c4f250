import { invalid } from "../codec/classify.ts";
import { ErrorCode } from "../error.ts";
import type { ErrorObject, Malformed, Notification, Request, RequestId } from "../message.ts";
import type { BatchReply } from "./batch.ts";
import type { Hooks } from "./hooks.ts";
import type { Inbox } from "./inbox.ts";
import type { PeerOptions } from "./options.ts";
import type { Replies } from "./replies.ts";

/** Answers what is not handled, and tells the user of the peer where it was no fault of theirs. */
export class Refusals {
  readonly #options: PeerOptions;
  readonly #hooks: Hooks;
  readonly #inbox: Inbox;
  readonly #replies: Replies;

  constructor(options: PeerOptions, hooks: Hooks, inbox: Inbox, replies: Replies) {
    this.#options = options;
    this.#hooks = hooks;
    this.#inbox = inbox;
    this.#replies = replies;
  }

  /** Refuses what is no message. A broken response is nothing to answer. */
  malformed(input: Malformed, batch: BatchReply | undefined): void {
    this.#hooks.unexpected({ kind: "malformed", message: undefined, error: input.malformed });
    if (input.response !== true) {
      // With the id of a request in flight the answer would settle that one.
      const isUsable = input.id !== undefined && !this.#inbox.has(input.id);
      this.#refuse(input.malformed, isUsable ? input.id : null, batch);
    }
  }

  /** Refuses a batch where there are none. */
  batch(): void {
    this.#refuse(invalid("batches are not supported here").malformed, null, undefined);
  }

  /** Refuses a request whose id is in use. Answering with the id would settle the first request, so the error goes out without one. */
  duplicate(request: Request, batch: BatchReply | undefined): void {
    this.#hooks.unexpected({ kind: "duplicate-request", message: request });
    this.#refuse(invalid(`the id ${JSON.stringify(request.id)} is in use`).malformed, null, batch);
  }

  /** Refuses a request that comes after the end has begun. */
  late(request: Request, batch: BatchReply | undefined): void {
    this.#refuseWith("The connection is closing", request, batch);
  }

  /** Refuses a message for which there is no room. */
  overflow(message: Request | Notification, batch: BatchReply | undefined): void {
    this.#hooks.unexpected({ kind: "overflow", message });
    if ("id" in message) {
      this.#refuseWith("Too many requests in flight", message, batch);
    }
  }

  #refuseWith(message: string, request: Request, batch: BatchReply | undefined): void {
    this.#refuse({ code: ErrorCode.InternalError, message }, request.id, batch);
  }

  #refuse(error: ErrorObject, id: RequestId | null, batch: BatchReply | undefined): void {
    if (this.#hooks.run(() => this.#options.answerRefused?.()) !== false) {
      this.#replies.refuse(error, id, batch);
    }
  }
}
