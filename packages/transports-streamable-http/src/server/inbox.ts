import type { Incoming } from "@tenon/jsonrpc2";
import { writeAccepted, type Reader } from "@tenon/jsonrpc2/transport";

/**
 * The received messages of a session, with one reader. Unlike a `MessageQueue` it holds no promise
 * while it is idle, which is half a kilobyte.
 */
export class Inbox {
  #queue: Incoming[] = [];
  #reader: Reader | undefined;
  #ended = false;

  /** How many messages wait. */
  get length(): number {
    return this.#queue.length;
  }

  /** The next message, `undefined` at the end. */
  read(): Promise<Incoming | undefined> {
    return new Promise((take, lose) => this.readTo({ take, lose }));
  }

  /** Passes the next message to `reader`, `undefined` at the end. Never calls it at once. */
  readTo(reader: Reader): void {
    this.#reader = reader;
    const next = this.#queue.shift();
    if (next !== undefined || this.#ended) {
      this.#hand(next);
    }
  }

  /** Adds a message; after the end it is dropped. */
  put(message: Incoming): void {
    if (this.#ended) {
      return;
    }
    if (this.#reader === undefined) {
      this.#queue.push(message);
    } else {
      this.#hand(message);
    }
  }

  /** Drops what waits, and ends. Idempotent. */
  end(): void {
    this.#queue = [];
    this.#ended = true;
    this.#hand(undefined);
  }

  #hand(message: Incoming | undefined): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      void writeAccepted.then(() => reader.take(message));
    }
  }
}
