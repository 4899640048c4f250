import { anySignal } from "@tenon/base";
import type { Clock } from "@tenon/base";
import {
  abortSignalOf,
  HttpError,
  type HttpClient,
  type HttpRequest,
  type WireResponse,
} from "@tenon/http/client";

/**
 * Minimum idle time before a comment counts as a heartbeat, in milliseconds. Earlier comments open
 * a stream or accompany an event.
 */
const minBeatMs = 1000;
/** A stream with known heartbeats is not considered broken earlier than this, in milliseconds. */
const minSilenceMs = 45_000;
/** As many heartbeats may be late or lost. */
const maxMissed = 3;
/** How long a stream may be idle after its response has arrived, in milliseconds. */
const farewellMs = 1000;

/** The heartbeats received on one stream and on the streams that resume it. */
export class Rhythm {
  #given: number | undefined;
  /**
   * The shortest time between two heartbeats, in milliseconds. Events between them can only make it
   * longer.
   */
  #intervalMs = Infinity;

  /**
   * @param maxSilenceMs - The option of the user. `Infinity` disables the check; `undefined`
   *   derives the limit from the heartbeats.
   */
  constructor(maxSilenceMs: number | undefined) {
    this.#given = maxSilenceMs;
  }

  /**
   * Records a comment.
   *
   * @param silentMs - Time since the stream received any data, in milliseconds.
   * @param intervalMs - Time since the last comment on the stream, in milliseconds; `Infinity` for
   *   the first comment.
   */
  beat(silentMs: number, intervalMs: number): void {
    if (silentMs >= minBeatMs) {
      this.#intervalMs = Math.min(this.#intervalMs, intervalMs);
    }
  }

  /**
   * Must be called when the response has arrived. The stream then ends when it is idle for a
   * second: some servers keep it open, which must not cost a connection for each call.
   *
   * @source R-352
   */
  stop(): void {
    this.#given = farewellMs;
  }

  /** How long a stream may be idle, in milliseconds; `undefined` if indefinitely. */
  get limitMs(): number | undefined {
    const limit = this.#given ?? Math.max(minSilenceMs, maxMissed * this.#intervalMs);
    return limit < Infinity ? limit : undefined;
  }
}

/** Closes a stream that has received no data, not even a comment, for too long. */
export class StreamWatch {
  /** The body of the stream, which ends when it has been idle for too long. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Why the stream has ended, if it was given up. */
  failure: HttpError | undefined;
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #rhythm: Rhythm;
  readonly #clock: Clock;
  #last = 0;
  #lastBeat = -Infinity;
  #silentMs = 0;
  #openMs = 0;
  #timer: unknown;

  constructor(body: AsyncIterable<Uint8Array>, rhythm: Rhythm, clock: Clock) {
    this.#iterator = body[Symbol.asyncIterator]();
    this.body = { [Symbol.asyncIterator]: () => this.#iterator };
    this.#rhythm = rhythm;
    this.#clock = clock;
    this.resume();
  }

  /** Something has come. */
  readonly heard = (): void => {
    this.#silentMs = this.#clock.now() - this.#last;
    this.#openMs += this.#silentMs;
    this.resume();
  };

  /** The data is a comment. */
  readonly beat = (): void => {
    this.#rhythm.beat(this.#silentMs, this.#last - this.#lastBeat);
    this.#lastBeat = this.#last;
    this.#start();
  };

  /** Stops watching, because the consumer is slow: this does not mean that the server is idle. */
  stop(): void {
    this.#clock.clearTimeout(this.#timer);
  }

  /** Watches again. */
  resume(): void {
    this.#last = this.#clock.now();
    this.#start();
  }

  /**
   * Stops watching for good.
   *
   * @returns How long the stream was open, in milliseconds, without the time that its consumer
   *   took. If it was given up, until its last data.
   */
  end(): number {
    if (this.failure === undefined) {
      this.heard();
    }
    this.stop();
    return this.#openMs;
  }

  #start(): void {
    this.stop();
    const limit = this.#rhythm.limitMs;
    if (limit !== undefined) {
      const giveUp = (): void => {
        this.failure = tooSilent(limit);
        void this.#iterator.return?.().catch(() => {});
      };
      this.#timer = this.#clock.setTimeout(giveUp, limit, true);
    }
  }
}

/**
 * Requests a stream that a server can open at once.
 *
 * @throws `HttpError` if the server does not respond.
 */
export async function askForStream(
  http: HttpClient,
  request: HttpRequest,
  { limitMs }: Rhythm,
  clock: Clock,
): Promise<WireResponse> {
  if (limitMs === undefined) {
    return http(request);
  }
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(tooSilent(limitMs)), limitMs, true);
  try {
    return await http({
      ...request,
      signal: anySignal([abortSignalOf(request.signal), controller.signal]),
    });
  } finally {
    clock.clearTimeout(timer);
  }
}

function tooSilent(limitMs: number): HttpError {
  return new HttpError(
    "NETWORK",
    `The stream timed out after ${limitMs} ms without data (reconnect.maxSilenceMs).`,
  );
}
