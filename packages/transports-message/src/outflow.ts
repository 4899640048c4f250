import type { ResolvedLimits } from "@tenon/base";
import { connectionClosed, LocalError } from "@tenon/jsonrpc2/core";
import { ResponseRoom, WaitingWrite, writeAccepted } from "@tenon/jsonrpc2/transport";

import type { Room } from "./control.ts";
import { queueFactor, type MessageLimits } from "./limits.ts";

/** The destination of an {@link Outflow}. */
export interface Poster {
  /** Sends the text of a message. Throws the error of its write. */
  post(text: string): void;
  /** Requests an acknowledgement as soon as the remote peer has read more. */
  ask(): void;
}

/**
 * The sent messages that the remote peer has not acknowledged. Above its limits writes wait until
 * it has read more.
 */
export class Outflow {
  readonly #poster: Poster;
  readonly #maxWaiting: number;
  /**
   * The limits of the remote peer, or the local limits while those are unknown. `undefined` if
   * writes never wait.
   */
  #room: Room | undefined;
  /** The sizes of the messages that were not read, in their order. */
  #unread: number[] = [];
  #unreadSize = 0;
  readonly #waiting = new Set<WaitingWrite<string>>();
  #waitingSize = 0;
  /** The short responses that wait above the limits. */
  readonly #extra = new Set<WaitingWrite<string>>();
  readonly #responseRoom = new ResponseRoom();

  constructor(poster: Poster, limits: ResolvedLimits<MessageLimits>) {
    this.#poster = poster;
    this.#room = limits;
    this.#maxWaiting = limits.maxWaiting;
  }

  /** As `Connection.write`, of a message that is serialized. */
  write(text: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason);
    }
    const room = this.#room;
    if (room !== undefined && text.length > room.maxMessageBytes) {
      const message = `The message exceeds the limit of the remote peer: ${text.length} of ${room.maxMessageBytes} characters (maxMessageBytes).`;
      return Promise.reject(new LocalError("LIMIT_EXCEEDED", message));
    }
    if (this.#waiting.size === 0 && this.#hasRoom) {
      try {
        this.#send(text);
        return writeAccepted;
      } catch (error) {
        return Promise.reject(error);
      }
    }
    return this.#wait(text, signal);
  }

  /** Sets the limits of a remote peer that acknowledges messages. */
  limit(room: Room): void {
    this.#room = room;
    this.#proceed();
  }

  /** Removes the limits, because the remote peer acknowledges nothing. */
  unlimit(): void {
    this.#room = undefined;
    this.forget();
  }

  /** Stops waiting for earlier messages, because the remote peer may not have received them. */
  forget(): void {
    this.#unread = [];
    this.#unreadSize = 0;
    this.#proceed();
  }

  /** Handles the acknowledgement of `count` messages. */
  acknowledge(count: number): void {
    for (const size of this.#unread.splice(0, count)) {
      this.#unreadSize -= size;
    }
    this.#proceed();
  }

  /** Rejects all writes that wait. */
  end(error: unknown): void {
    for (const write of this.#waiting) {
      write.refuse(connectionClosed(undefined, { cause: error }));
    }
    this.#waiting.clear();
    this.#waitingSize = 0;
    this.#extra.clear();
    this.#responseRoom.free();
  }

  get #hasRoom(): boolean {
    const room = this.#room;
    return (
      room === undefined || (this.#unread.length < room.maxQueued && this.#unreadSize < room.maxBufferedBytes)
    );
  }

  #send(text: string): void {
    this.#poster.post(text);
    if (this.#room !== undefined) {
      this.#unread.push(text.length);
      this.#unreadSize += text.length;
    }
  }

  #wait(text: string, signal: AbortSignal | undefined): Promise<void> {
    const maxSize = queueFactor * (this.#room?.maxBufferedBytes ?? Infinity);
    const isAbove =
      this.#waiting.size >= this.#maxWaiting ||
      (this.#waitingSize > 0 && this.#waitingSize + text.length > maxSize);
    if (isAbove && !this.#responseRoom.take(text)) {
      const message =
        this.#waiting.size >= this.#maxWaiting
          ? `Too many waiting writes: the limit is ${this.#maxWaiting} (maxWaiting).`
          : `Too many waiting writes: the limit is ${maxSize} characters (${queueFactor} times maxBufferedBytes).`;
      return Promise.reject(new LocalError("LIMIT_EXCEEDED", message));
    }
    if (this.#waiting.size === 0) {
      this.#poster.ask();
    }
    return new Promise((resolve, reject) => {
      const write = new WaitingWrite(text, { resolve, reject }, signal, () => this.#remove(write));
      this.#waiting.add(write);
      this.#waitingSize += text.length;
      if (isAbove) {
        this.#extra.add(write);
      }
    });
  }

  #remove(write: WaitingWrite<string>): void {
    if (this.#waiting.delete(write)) {
      this.#waitingSize -= write.item.length;
    }
    if (this.#extra.delete(write)) {
      this.#responseRoom.free(write.item.length);
    }
  }

  #proceed(): void {
    for (const write of this.#waiting) {
      if (!this.#hasRoom) {
        this.#poster.ask();
        return;
      }
      this.#remove(write);
      try {
        this.#send(write.item);
        write.accept();
      } catch (error) {
        write.refuse(error);
      }
    }
  }
}
