import { connectionClosed, LocalError } from "@tenon/jsonrpc2/core";
import { WaitingWrite, writeAccepted } from "@tenon/jsonrpc2/transport";

import { Ring } from "./ring.ts";

/** The reader of {@link Lane.readTo}. */
interface Reader<T> {
  take(item: T | undefined): void;
}

/** One direction of a pair: a bounded queue between one writer and one reader. */
export class Lane<T extends object> {
  readonly #limit: number;
  readonly #maxWaiting: number;
  #queue: T[] = [];
  #reader: ((item: T | undefined) => void) | undefined;
  /** The reader of the last {@link readTo}, and the item that it is about to receive. */
  #called: Reader<T> | undefined;
  #handed: T | undefined;
  readonly #call = (): void => {
    const item = this.#handed;
    this.#handed = undefined;
    this.#called?.take(item);
  };
  readonly #hand = (item: T | undefined): void => {
    this.#handed = item;
    void writeAccepted.then(this.#call);
  };
  readonly #writers = new Ring<WaitingWrite<T>>();
  #ended = false;

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
  }

  /** The next item; `undefined` once the lane has ended and is empty. */
  read(): Promise<T | undefined> {
    const item = this.#take();
    return item !== undefined || this.#ended
      ? Promise.resolve(item)
      : new Promise((resolve) => {
          this.#reader = resolve;
        });
  }

  /**
   * Reads like {@link read}, but passes the item to `reader` when the promise would have been
   * resolved. An idle lane then holds no promise.
   */
  readTo(reader: Reader<T>): void {
    this.#called = reader;
    const item = this.#take();
    if (item !== undefined || this.#ended) {
      this.#hand(item);
    } else {
      this.#reader = this.#hand;
    }
  }

  write(item: T, signal: AbortSignal | undefined): Promise<void> {
    if (this.#ended) {
      return Promise.reject(connectionClosed());
    }
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader(item);
      return writeAccepted;
    }
    if (this.#queue.length < this.#limit) {
      this.#queue.push(item);
      return writeAccepted;
    }
    return this.#waitForRoom(item, signal);
  }

  /**
   * Ends the lane. Queued messages can still be read, unless `discard` is set; waiting writes are
   * rejected.
   */
  end(discard: boolean): void {
    this.#ended = true;
    if (discard) {
      this.#queue = [];
    }
    for (const writer of this.#writers.clear()) {
      writer.refuse(connectionClosed());
    }
    this.#reader?.(undefined);
    this.#reader = undefined;
  }

  #take(): T | undefined {
    const item = this.#queue.shift();
    const next = item === undefined ? undefined : this.#writers.shift();
    if (next !== undefined) {
      this.#queue.push(next.item);
      next.accept();
    }
    return item;
  }

  #waitForRoom(item: T, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason);
    }
    if (this.#writers.size >= this.#maxWaiting) {
      const message = `Too many waiting writes: the limit is ${this.#maxWaiting} (maxWaiting).`;
      return Promise.reject(new LocalError("LIMIT_EXCEEDED", message));
    }
    return new Promise((resolve, reject) => {
      const remove = (write: WaitingWrite<T>): void => void this.#writers.remove(write);
      this.#writers.push(new WaitingWrite(item, { resolve, reject }, signal, remove));
    });
  }
}
