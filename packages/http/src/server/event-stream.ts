import { HttpError } from "../error.ts";
import type { ByteSink, Exchange, HeaderFields } from "./exchange.ts";

/** One event of an event stream. */
export interface ServerSentEvent {
  /** The name; clients take events without one for `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** How long the client should wait before it reconnects, in milliseconds. */
  readonly retry?: number | undefined;
  readonly data: string;
}

/** Bounds of an {@link EventStream}. */
export interface EventStreamLimits {
  /** With more than this unread, sending waits. Default 1 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Most sends that may wait; one more breaks the stream off. Default 256. */
  readonly maxWaiting?: number | undefined;
  /** How long a send may wait before the stream is broken off, in milliseconds. Default 60 000. */
  readonly stallMs?: number | undefined;
}

/** The headers of an event stream: not stored, and passed on by proxies as it comes. */
export const eventStreamHeaders: HeaderFields = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * An answer that is a stream of events. A client that does not read slows the sender down, and loses the stream in the end; it never makes the
 * process grow. Source: WHATWG HTML, server-sent events.
 */
export class EventStream {
  readonly #sink: ByteSink;
  readonly #maxBuffered: number;
  readonly #maxWaiting: number;
  readonly #stallMs: number;
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  #stall: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(exchange: Exchange, headers: HeaderFields = {}, limits: EventStreamLimits = {}) {
    this.#maxBuffered = limits.maxBufferedBytes ?? 1024 * 1024;
    this.#maxWaiting = limits.maxWaiting ?? 256;
    this.#stallMs = limits.stallMs ?? 60_000;
    this.#sink = exchange.open(200, { ...eventStreamHeaders, ...headers });
  }

  /** True once nothing more can be sent. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Sends an event.
   *
   * @returns `undefined` if the stream has room; otherwise a promise for when it has.
   * @throws `HttpError` `STALLED` if the client does not read (from the promise), `INVALID_STATE` after the end.
   */
  send(event: ServerSentEvent): Promise<void> | undefined {
    if (this.#closed) {
      throw new HttpError("INVALID_STATE", "The event stream has ended.");
    }
    this.#sink.write(formatEvent(event));
    return this.#sink.buffered > this.#maxBuffered ? this.#wait() : undefined;
  }

  /** Sends a comment, which clients ignore: it keeps idle connections open. Nothing is sent while the client does not read. */
  comment(text: string): void {
    if (!this.#closed && this.#sink.buffered === 0) {
      this.#sink.write(`: ${text}\n\n`);
    }
  }

  /** Completes the stream. Idempotent. */
  end(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#sink.end();
      this.#release();
    }
  }

  /** To be called when the client has gone: whoever waits is told. */
  disconnected(): void {
    this.#break(new HttpError("INVALID_STATE", "The client has closed the event stream."), false);
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      const error = new HttpError(
        "STALLED",
        `${this.#maxWaiting} sends wait for the client to read already.`,
      );
      this.#break(error, true);
      return Promise.reject(error);
    }
    if (this.#waiting.length === 0) {
      this.#sink.onDrain(() => this.#release());
      this.#stall = setTimeout(() => {
        this.#break(new HttpError("STALLED", `The client has not read for ${this.#stallMs} ms.`), true);
      }, this.#stallMs);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #release(): void {
    clearTimeout(this.#stall);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      waiter.resolve();
    }
  }

  #break(error: HttpError, abort: boolean): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    clearTimeout(this.#stall);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      waiter.reject(error);
    }
    if (abort) {
      this.#sink.abort();
    }
  }
}

/** The text of an event. Line ends inside a field would start another field, so they are taken out of names and split in data. */
export function formatEvent({ event, id, retry, data }: ServerSentEvent): string {
  let text = "";
  if (event !== undefined) {
    text += `event: ${oneLine(event)}\n`;
  }
  if (id !== undefined) {
    text += `id: ${oneLine(id)}\n`;
  }
  if (retry !== undefined) {
    text += `retry: ${Math.max(0, Math.trunc(retry))}\n`;
  }
  if (!data.includes("\n") && !data.includes("\r")) {
    return `${text}data: ${data}\n\n`;
  }
  for (const line of data.split(/\r\n|\r|\n/)) {
    text += `data: ${line}\n`;
  }
  return `${text}\n`;
}

function oneLine(value: string): string {
  return value.replace(/[\r\n\0]/g, "");
}
