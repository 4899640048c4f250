import { HttpError } from "../error.ts";
import type { ByteSink, Exchange, HeaderFields } from "./exchange.ts";
import { timerDelay } from "./timer-delay.ts";

/** One event of an event stream. */
export interface ServerSentEvent {
  /** The name; clients take events without one for `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** How long the client should wait before it reconnects, in milliseconds. */
  readonly retry?: number | undefined;
  readonly data: string;
  /**
   * The subject of the event, if a newer event with the same subject replaces it: see `whenFull`.
   * Not sent.
   */
  readonly subject?: string | undefined;
}

/** Limits of an {@link EventStream}. */
export interface EventStreamLimits {
  /**
   * Maximum number of bytes that the client has not read. Above it the stream is full: see
   * `whenFull`. Default: `1_048_576` (1 MiB).
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * Maximum number of waiting sends, and of subjects whose newest event is stored. One more breaks
   * the stream off. Default: `256`.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * How long a send may wait, and a complete response may stay unread, before the connection is
   * broken off, in milliseconds. Default: `60_000`.
   */
  readonly stallMs?: number | undefined;
}

/** The default and the least value of each of {@link EventStreamLimits}. */
export const eventStreamLimits: {
  readonly [Name in keyof Required<EventStreamLimits>]: readonly [initial: number, least: number];
} = {
  maxBufferedBytes: [1024 * 1024, 0],
  maxWaiting: [256, 0],
  stallMs: [60_000, 1],
};

/** Options of {@link EventStream}. */
export interface EventStreamOptions {
  /** Limits of the stream. Each limit has its own default. */
  readonly limits?: EventStreamLimits | undefined;
  /**
   * The handling of events while the stream is full. `wait`: sending waits until there is room.
   * `coalesce`: of the events with one subject only the newest is kept and sent when there is room,
   * so that their sender never waits; other events wait. `close`: the stream is closed, and the
   * client may resume it if streams are resumable. Default: `wait`.
   */
  readonly whenFull?: "wait" | "coalesce" | "close" | undefined;
}

/**
 * The headers of an event stream: not stored, and passed on by proxies as it comes.
 *
 * @source R-292
 */
export const eventStreamHeaders: HeaderFields = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * A response that is a stream of events. A client that does not read slows the sender down, and
 * finally loses the stream. The memory that a stream uses is limited.
 *
 * @source WHATWG HTML, server-sent events
 */
export class EventStream {
  readonly #sink: ByteSink;
  readonly #maxBuffered: number;
  readonly #maxWaiting: number;
  readonly #stallMs: number;
  readonly #whenFull: "wait" | "coalesce" | "close";
  /** The newest events of their subjects, in the order in which they were sent. */
  #kept: Map<string, ServerSentEvent> | undefined;
  #waiting: { resolve(): void; reject(error: unknown): void }[] | undefined;
  #stall: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(
    exchange: Exchange,
    headers: HeaderFields = {},
    { limits = {}, whenFull = "wait" }: EventStreamOptions = {},
  ) {
    this.#maxBuffered = limits.maxBufferedBytes ?? eventStreamLimits.maxBufferedBytes[0];
    this.#maxWaiting = limits.maxWaiting ?? eventStreamLimits.maxWaiting[0];
    this.#stallMs = limits.stallMs ?? eventStreamLimits.stallMs[0];
    this.#whenFull = whenFull;
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
   * @throws `HttpError` `STALLED` if the client does not read (from the promise), `INVALID_STATE`
   *   after the end.
   */
  send(event: ServerSentEvent): Promise<void> | undefined {
    if (this.#closed) {
      throw new HttpError("INVALID_STATE", "The event stream has ended.");
    }
    if (this.#whenFull === "close" && this.#full) {
      return this.#fail(`More than ${this.#maxBuffered} bytes are unread by the client.`);
    }
    const subject = this.#whenFull === "coalesce" ? event.subject : undefined;
    if (subject !== undefined && this.#full) {
      return this.#keep(subject, event);
    }
    this.#writeKept();
    this.#sink.write(formatEvent(event));
    return this.#full && this.#whenFull !== "close" && subject === undefined ? this.#wait() : undefined;
  }

  /**
   * Waits for room, whatever `whenFull` says: for what can be read again.
   *
   * @throws Like {@link send}, from the promise.
   */
  room(): Promise<void> | undefined {
    return !this.#closed && this.#full ? this.#wait() : undefined;
  }

  /**
   * Sends a comment, which clients ignore: it keeps idle connections open. Nothing is sent while
   * the client does not read.
   *
   * @source R-293
   */
  comment(text: string): void {
    if (!this.#closed && this.#sink.buffered === 0) {
      this.#sink.write(`: ${text}\n\n`);
    }
  }

  /** Completes the stream. Idempotent. */
  end(): void {
    if (!this.#closed) {
      this.#writeKept();
      this.#closed = true;
      this.#sink.end();
      this.#release();
    }
  }

  /** Must be called when the client has disconnected. Pending sends are rejected. */
  disconnected(): void {
    this.#break(new HttpError("INVALID_STATE", "The client has closed the event stream."), false);
  }

  get #full(): boolean {
    return this.#sink.buffered > this.#maxBuffered;
  }

  #wait(): Promise<void> {
    const waiting = (this.#waiting ??= []);
    if (waiting.length >= this.#maxWaiting) {
      return this.#fail(`Too many waiting sends: the limit is ${this.#maxWaiting} (maxWaiting).`);
    }
    this.#watch();
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
    });
  }

  #keep(subject: string, event: ServerSentEvent): Promise<void> | undefined {
    const kept = (this.#kept ??= new Map<string, ServerSentEvent>());
    if (!kept.has(subject) && kept.size >= this.#maxWaiting) {
      return this.#fail(`Events about ${this.#maxWaiting} subjects wait for the client to read already.`);
    }
    kept.delete(subject);
    kept.set(subject, event);
    this.#watch();
    return undefined;
  }

  /** Waits for the client to read, for a while. */
  #watch(): void {
    if (this.#stall !== undefined) {
      return;
    }
    this.#sink.onDrain(() => this.#release());
    this.#stall = setTimeout(() => {
      this.#break(stalled(`No byte was read by the client for ${this.#stallMs} ms.`), true);
    }, timerDelay(this.#stallMs));
  }

  #writeKept(): void {
    const kept = this.#kept;
    this.#kept = undefined;
    for (const event of kept?.values() ?? []) {
      this.#sink.write(formatEvent(event));
    }
  }

  #release(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#takeWaiting().forEach((waiter) => waiter.resolve());
    if (!this.#closed) {
      this.#writeKept();
    }
  }

  #takeWaiting(): { resolve(): void; reject(error: unknown): void }[] {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    return waiting;
  }

  #fail(message: string): Promise<void> {
    const error = stalled(message);
    this.#break(error, true);
    return Promise.reject(error);
  }

  #break(error: HttpError, abort: boolean): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    clearTimeout(this.#stall);
    this.#kept = undefined;
    this.#takeWaiting().forEach((waiter) => waiter.reject(error));
    if (abort) {
      this.#sink.abort();
    }
  }
}

function stalled(message: string): HttpError {
  return new HttpError("STALLED", message);
}

/**
 * The text of an event. Line ends inside a field would start another field, so they are taken out
 * of names and split in data.
 */
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
