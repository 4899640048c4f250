import { LocalError, type Incoming } from "@tenon/jsonrpc2/core";
import { MessageQueue } from "@tenon/jsonrpc2/transport";

import type { Room } from "./control.ts";
import { queueFactor } from "./limits.ts";
import type { Received } from "./received.ts";

/** The received messages that are unread, and the count of read messages to acknowledge. */
export class Inflow {
  readonly #queue = new MessageQueue(Infinity);
  readonly #room: Room;
  readonly #acknowledge: (count: number) => void;
  /** The sizes of the messages that were not read, in their order. */
  readonly #unread: number[] = [];
  #unreadSize = 0;
  #read = 0;
  #readSize = 0;
  #isWanted = false;

  /** @param acknowledge - Called with the number of messages that were read since its last call. */
  constructor(room: Room, acknowledge: (count: number) => void) {
    this.#room = room;
    this.#acknowledge = acknowledge;
  }

  /** Adds a message. Returns an error if the sender ignores that this end does not read. */
  put({ incoming, size }: Received): LocalError | undefined {
    const { maxQueued, maxBufferedBytes } = this.#room;
    if (this.#unread.length >= queueFactor * maxQueued || this.#unreadSize > queueFactor * maxBufferedBytes) {
      const [name, limit] =
        this.#unread.length >= queueFactor * maxQueued
          ? ["maxQueued", maxQueued]
          : ["maxBufferedBytes", maxBufferedBytes];
      return new LocalError(
        "LIMIT_EXCEEDED",
        `Too many unread messages: the limit is ${queueFactor} times ${limit} (${name}).`,
      );
    }
    this.#unread.push(size);
    this.#unreadSize += size;
    void this.#queue.put(incoming);
    return undefined;
  }

  /** As `Connection.read`. */
  async read(): Promise<Incoming | undefined> {
    const incoming = await this.#queue.read();
    if (incoming !== undefined) {
      const size = this.#unread.shift() ?? 0;
      this.#unreadSize -= size;
      this.#readSize += size;
      this.#read++;
      // Half of the room, so that a steady sender never has to ask.
      if (
        this.#isWanted ||
        2 * this.#read >= this.#room.maxQueued ||
        2 * this.#readSize >= this.#room.maxBufferedBytes
      ) {
        this.#tell();
      }
    }
    return incoming;
  }

  /** Acknowledges the next message that is read, because a write of the sender waits. */
  want(): void {
    this.#isWanted = true;
    if (this.#read > 0) {
      this.#tell();
    }
  }

  /** Ends reading. @param options - As `MessageQueue.end`. */
  end(options?: { readonly discard?: boolean; readonly error?: unknown }): void {
    this.#queue.end(options);
    if (options?.discard === true) {
      this.#unread.length = 0;
      this.#unreadSize = 0;
    }
  }

  #tell(): void {
    const count = this.#read;
    this.#read = 0;
    this.#readSize = 0;
    this.#isWanted = false;
    this.#acknowledge(count);
  }
}
