import { timerDelay, unref } from "@tenon/http/transport";
import { undeliverable } from "@tenon/jsonrpc2/core";

/** Maximum number of messages of one session. */
const maxMessages = 100;
/**
 * Maximum text of one session, in UTF-16 code units; less for every session while all of them
 * together hold much.
 */
const maxLength = 64 * 1024;
const maxLengthWhenCrowded = 4 * 1024;
const crowdedLength = 32 * 1024 * 1024;

/** How much text the sessions of one handler hold. */
export interface HeldTotal {
  length: number;
}

/** A message that waits. */
export interface HeldMessage {
  readonly text: string;
  /** See {@link subjectOf}. */
  readonly subject: string | undefined;
  /** Settles the write of a request; absent for notifications. */
  readonly settle: ((error?: unknown) => void) | undefined;
}

/**
 * The messages that wait until the client opens their stream. Notifications wait as long as the
 * session exists: the newest of each subject, up to the limits; above them, the oldest are dropped.
 * Requests wait only for the time in which the client may connect.
 */
export class Held {
  readonly #total: HeldTotal;
  #messages: HeldMessage[] = [];
  #length = 0;
  /** Until when the client is expected. */
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(total: HeldTotal) {
    this.#total = total;
  }

  /** The client is expected to open the stream within this time, in milliseconds. */
  expect(withinMs: number): void {
    this.#until = performance.now() + withinMs;
  }

  /** Keeps a notification. */
  add(text: string, subject: string | undefined): void {
    const older = subject === undefined ? -1 : this.#messages.findIndex((held) => held.subject === subject);
    if (older >= 0) {
      this.#remove(older);
    }
    this.#push({ text, subject, settle: undefined });
  }

  /**
   * Keeps a request for as long as the client is expected.
   *
   * @throws `undeliverable`, from the promise, once it is not.
   */
  ask(text: string): Promise<void> {
    const left = this.#until - performance.now();
    if (left <= 0) {
      return Promise.reject(unread());
    }
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
      this.#push({ text, subject: undefined, settle });
      if (this.#timer === undefined) {
        this.#timer = setTimeout(() => this.#giveUp(), timerDelay(left));
        unref(this.#timer);
      }
    });
  }

  /** Hands out all messages, oldest first, and holds them no longer. */
  take(): readonly HeldMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#count(-this.#length);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return messages;
  }

  /** The session has ended. */
  end(): void {
    for (const { settle } of this.take()) {
      settle?.(unread());
    }
  }

  #push(message: HeldMessage): void {
    this.#messages.push(message);
    this.#count(message.text.length);
    const most = this.#total.length > crowdedLength ? maxLengthWhenCrowded : maxLength;
    while (this.#messages.length > maxMessages || this.#length > most) {
      this.#remove(0)?.settle?.(unread());
    }
  }

  #remove(place: number): HeldMessage | undefined {
    const [removed] = this.#messages.splice(place, 1);
    this.#count(-(removed?.text.length ?? 0));
    return removed;
  }

  #count(change: number): void {
    this.#length += change;
    this.#total.length += change;
  }

  #giveUp(): void {
    this.#timer = undefined;
    for (let place = this.#messages.length - 1; place >= 0; place--) {
      const { settle } = this.#messages[place] ?? {};
      if (settle !== undefined) {
        this.#remove(place);
        settle(unread());
      }
    }
  }
}

function unread(): Error {
  return undeliverable(
    "The request cannot be delivered: the client has no standalone stream (GET) open. Ask within a request of the client, by the context of its handler.",
  );
}
