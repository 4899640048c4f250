import type { Writable } from "node:stream";

import { connectionClosed, LocalError } from "@tenon/jsonrpc2/core";
import { ResponseRoom, writeAccepted } from "@tenon/jsonrpc2/transport";

/** Above this many times `maxBufferedBytes`, writes fail instead of waiting. */
const queueFactor = 16;

/** Text pushed into a stream. */
export interface Sink {
  /**
   * Sends text. Settles when accepted: at once, or when no more than `maxBufferedBytes` are unread.
   * Rejects with `CONNECTION_CLOSED` once the receiver has disconnected.
   */
  readonly write: (text: string) => Promise<void>;
  /** True once the stream has failed. */
  readonly failed: boolean;
  /** Passes everything to the operating system, as far as the receiver reads it. */
  flush(): Promise<void>;
  /** Refuses everything from now on. */
  end(error?: unknown): void;
}

/**
 * For text libuv reserves three bytes a character until it is written, and the receiver decides how
 * long that takes. Short text is faster as a string.
 */
const longText = 64 * 1024;

/**
 * Number of messages in a piece, and the share of what the turn has written before, if that is
 * more. The receiver begins while this process goes on, and a turn of very many messages still
 * costs few system calls.
 */
const smallestPiece = 8;
const share = 1 / 3;

/**
 * Writes to a stream, the messages of one turn of the event loop in few pieces: a system call for
 * each message would cost more than the message.
 *
 * @param maxBufferedBytes - Maximum number of bytes that the receiver has not read (for text that
 *   is not yet passed to the stream: UTF-16 code units). Above it writes wait; above 16 times as
 *   much they reject with `LIMIT_EXCEEDED`, except for short responses: see {@link ResponseRoom}.
 * @param write - The stream's own `write`, for a stream whose method has been replaced.
 */
export function createSink(
  stream: Writable,
  maxBufferedBytes: number,
  write: Writable["write"] = stream.write.bind(stream),
): Sink {
  const maxQueuedBytes = queueFactor * maxBufferedBytes;
  const responseRoom = new ResponseRoom();
  let texts: string[] = [];
  let queued = 0;
  /** Number of messages that this turn has passed to the stream. */
  let written = 0;
  let isTurnEnding = false;
  let ended: { error: unknown } | undefined;
  let waiters: { resolve(): void; reject(error: unknown): void }[] = [];

  function push(): void {
    if (texts.length === 0 || ended !== undefined) {
      return;
    }
    const text = texts.length === 1 ? (texts[0] ?? "") : texts.join("");
    texts = [];
    queued = 0;
    // The stream says "drain" only if it was full by its own measure, which may be larger than
    // ours.
    if (text.length > longText) {
      write(Buffer.from(text), onWritten);
    } else {
      write(text, "utf8", onWritten);
    }
    settle();
  }

  function endTurn(): void {
    isTurnEnding = false;
    written = 0;
    push();
  }

  /**
   * The stream reports a failure later, so a pending write must not be settled as successful before
   * that.
   */
  function onWritten(error?: Error | null): void {
    if (error === undefined || error === null) {
      settle();
    }
  }

  function settle(): void {
    if (waiters.length > 0 && queued + stream.writableLength <= maxBufferedBytes) {
      const settled = waiters;
      waiters = [];
      responseRoom.free();
      for (const waiter of settled) {
        waiter.resolve();
      }
    }
  }

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      waiters.push({ resolve, reject });
    });
  }

  function end(error?: unknown): void {
    if (ended !== undefined) {
      return;
    }
    ended = { error };
    texts = [];
    const refused = waiters;
    waiters = [];
    for (const waiter of refused) {
      waiter.reject(connectionClosed(undefined, { cause: error }));
    }
  }

  stream.on("drain", settle);
  // EPIPE, for example: the reader has disconnected. Without a listener the stream would throw.
  stream.on("error", end);
  stream.once("close", () => end());

  return {
    write(text) {
      if (ended !== undefined) {
        return Promise.reject(connectionClosed(undefined, { cause: ended.error }));
      }
      const isAbove = queued + stream.writableLength + text.length > Math.max(maxQueuedBytes, text.length);
      if (isAbove && !responseRoom.take(text)) {
        const message = `Too many unread bytes: the limit is ${maxQueuedBytes} (${queueFactor} times maxBufferedBytes).`;
        return Promise.reject(new LocalError("LIMIT_EXCEEDED", message));
      }
      if (!isTurnEnding) {
        isTurnEnding = true;
        process.nextTick(endTurn);
      }
      queued += text.length;
      if (texts.push(text) >= Math.max(smallestPiece, written * share) || queued > longText) {
        written += texts.length;
        push();
      }
      return queued + stream.writableLength <= maxBufferedBytes ? writeAccepted : wait();
    },
    async flush() {
      push();
      if (ended === undefined && stream.writableLength > 0) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            stream.off("error", done);
            stream.off("close", done);
            resolve();
          };
          stream.once("error", done);
          stream.once("close", done);
          write("", "utf8", done);
        });
      }
    },
    get failed() {
      return ended?.error !== undefined;
    },
    end,
  };
}
