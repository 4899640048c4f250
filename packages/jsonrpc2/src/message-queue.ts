import type { Incoming } from "./message.ts";

/**
 * A queue of received messages with one reader. Transports that receive messages by events use it
 * to implement `read`.
 */
export class MessageQueue {
  readonly #limit: number;
  #queue: Incoming[] = [];
  #reader: { resolve(message: Incoming | undefined): void; reject(error: unknown): void } | undefined;
  #room: (() => void)[] = [];
  #end: { readonly error: unknown } | undefined;

  /**
   * Creates an empty queue.
   *
   * @param limit - If this many messages wait, the promise of `put` waits for room. Default:
   *   `1_024`.
   */
  constructor(limit = 1024) {
    this.#limit = limit;
  }

  /** How many messages wait. */
  get length(): number {
    return this.#queue.length;
  }

  /**
   * The next message, `undefined` at the end, as `Connection.read` gives it. One reader at a time.
   */
  read(): Promise<Incoming | undefined> {
    const next = this.#queue.shift();
    if (next !== undefined) {
      if (this.#room.length > 0 && this.#queue.length < this.#limit) {
        this.#room.shift()?.();
      }
      return Promise.resolve(next);
    }
    if (this.#end !== undefined) {
      const { error } = this.#end;
      return error === undefined ? Promise.resolve(undefined) : Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /**
   * Adds a message; after the end it is dropped.
   *
   * @returns A promise for when there is room again; `undefined` if there is.
   */
  put(message: Incoming): Promise<void> | undefined {
    if (this.#end !== undefined) {
      return undefined;
    }
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(message);
      return undefined;
    }
    this.#queue.push(message);
    return this.#queue.length < this.#limit
      ? undefined
      : new Promise((resolve) => {
          this.#room.push(resolve);
        });
  }

  /**
   * Ends the queue. Idempotent.
   *
   * @param options - `discard`: forget what waits; otherwise it can still be read. `error`: what
   *   broke the connection; reads reject with it.
   */
  end({ discard = false, error }: { readonly discard?: boolean; readonly error?: unknown } = {}): void {
    if (discard) {
      this.#queue = [];
    }
    if (this.#end !== undefined) {
      return;
    }
    this.#end = { error };
    for (const resolve of this.#room.splice(0)) {
      resolve();
    }
    const reader = this.#reader;
    this.#reader = undefined;
    if (error === undefined) {
      reader?.resolve(undefined);
    } else {
      reader?.reject(error);
    }
  }
}
