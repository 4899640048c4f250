import {
  isBatch,
  isMalformed,
  type Incoming,
  type Malformed,
  type Message,
  type Notification,
  type Request,
  type RequestId,
} from "../message.ts";
import { BatchReply } from "./batch.ts";
import type { Hooks } from "./hooks.ts";
import type { Inbox } from "./inbox.ts";
import type { PeerOptions } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import { Refusals } from "./refusals.ts";
import type { Replies } from "./replies.ts";
import { RequestScope, type ScopeOwner } from "./scope.ts";

/** The conversation that something came in on. */
interface Receiver extends ScopeOwner {
  /** False once the end has begun. */
  readonly accepting: boolean;
  cancel(id: RequestId, reason: unknown): void;
}

/** Where what came in goes. */
interface Parts {
  readonly hooks: Hooks;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly replies: Replies;
}

/** Sorts what comes in: answers to the calls that wait for them, requests and notifications to the inbox; the rest is refused. */
export class Intake {
  readonly #options: PeerOptions;
  readonly #conversation: Receiver;
  readonly #hooks: Hooks;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #replies: Replies;
  readonly #refusals: Refusals;

  constructor(options: PeerOptions, conversation: Receiver, { hooks, inbox, outbox, replies }: Parts) {
    this.#options = options;
    this.#conversation = conversation;
    this.#hooks = hooks;
    this.#inbox = inbox;
    this.#outbox = outbox;
    this.#replies = replies;
    this.#refusals = new Refusals(options, hooks, inbox, replies);
  }

  /** Takes a message, a batch of them, or what is none. */
  receive(incoming: Incoming): void {
    if (isMalformed(incoming)) {
      this.#receiveMalformed(incoming, undefined);
    } else if (!isBatch(incoming)) {
      this.#receiveMessage(incoming, undefined);
    } else if (this.#hooks.run(() => this.#options.batches?.()) === true) {
      this.#receiveBatch(incoming.batch);
    } else {
      this.#refusals.batch();
    }
  }

  #receiveBatch(messages: readonly (Message | Malformed)[]): void {
    const reply = new BatchReply((responses) => {
      this.#replies.sendBatch(responses);
    });
    for (const message of messages) {
      if (isMalformed(message)) {
        this.#receiveMalformed(message, reply);
      } else {
        this.#receiveMessage(message, reply);
      }
    }
    reply.done();
  }

  #receiveMalformed(input: Malformed, batch: BatchReply | undefined): void {
    this.#refusals.malformed(input, batch);
    if (input.response === true) {
      this.#outbox.settleMalformed(input);
    }
  }

  #receiveMessage(message: Message, batch: BatchReply | undefined): void {
    if (!("method" in message)) {
      if (!this.#outbox.settle(message)) {
        this.#hooks.unexpected({ kind: "response", message });
      }
    } else if ("id" in message) {
      this.#receiveRequest(message, batch);
    } else {
      this.#receiveNotification(message);
    }
  }

  #receiveRequest(request: Request, batch: BatchReply | undefined): void {
    if (this.#inbox.has(request.id)) {
      this.#refusals.duplicate(request, batch);
    } else if (!this.#conversation.accepting) {
      this.#refusals.late(request, batch);
    } else {
      batch?.expect();
      if (!this.#inbox.admit(new RequestScope(this.#conversation, request, batch))) {
        this.#refusals.overflow(request, batch);
        batch?.done();
      }
    }
  }

  #receiveNotification(notification: Notification): void {
    this.#hooks.run(() => {
      const cancelled = this.#options.cancellation?.read(notification);
      if (cancelled?.id !== undefined) {
        this.#conversation.cancel(cancelled.id, cancelled.reason);
      }
      const related = this.#options.relate?.(notification);
      if (related === undefined) {
        this.#admitNotification(notification);
      } else if (!this.#outbox.relate(related, notification)) {
        this.#hooks.unexpected({ kind: "unrelated-notification", message: notification });
      }
    });
  }

  #admitNotification(notification: Notification): void {
    if (
      this.#conversation.accepting &&
      !this.#inbox.admit(new RequestScope(this.#conversation, notification, undefined))
    ) {
      this.#refusals.overflow(notification, undefined);
    }
  }
}
