import {
  checkOptionNames,
  readLimits,
  systemClock,
  takeLateFailure,
  type Clock,
  type LimitRules,
} from "@tenon/base";

import { isBatch, isMalformed, type Incoming, type Outgoing } from "../message.ts";
import type { Authorization, Connection, ConnectOptions, Transport } from "../transport.ts";
import { wrapTransport, type TransportHooks } from "./wrap-transport.ts";

/**
 * One line of a log or transcript, written as JSON: `at` in milliseconds since the connection was
 * made, `dir` as seen from the wrapped side. The same format is recorded and replayed by the
 * `testing` entry.
 */
export type LogEntry =
  | { readonly at: number; readonly dir: "read" | "write"; readonly message: unknown }
  | { readonly at: number; readonly dir: "read" | "write"; readonly error: string }
  | { readonly at: number; readonly dir: "end" };

/** Options of {@link LoggingTransport}. */
export interface LoggingTransportOptions {
  /**
   * Called with each message before it is logged. The return value is logged in its place. It must
   * not change its argument. By default messages are logged unchanged.
   */
  readonly redact?: ((message: unknown, dir: "read" | "write") => unknown) | undefined;
  /** Limits of the log. */
  readonly limits?: LoggingTransportLimits | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** Limits of a {@link LoggingTransport}. */
export interface LoggingTransportLimits {
  /**
   * Maximum number of lines that wait for a slow `WritableStream`. Further lines are omitted. Other
   * sinks are called at once for every line. Default: `10_000`.
   */
  readonly maxQueued?: number | undefined;
}

const limitRules: LimitRules<LoggingTransportLimits> = { maxQueued: [10_000, 1] };

/**
 * The destination of lines. `process.stderr` implements it, and so does an object that collects
 * lines in an array.
 */
export interface LineSink {
  /** Writes one line. @param line - Complete, with its line end. */
  write(line: string): unknown;
}

/**
 * Wraps a transport and writes one line of JSON per message, error and end to a sink; the
 * conversation itself is unchanged. A sink or a `redact` that fails is ignored: a log must not
 * break what it watches.
 *
 * @source S-041
 */
export class LoggingTransport<C extends Connection = Connection> implements Transport<C> {
  readonly #wrapped: Transport<C>;

  /**
   * Wraps `inner`, which is not connected yet.
   *
   * @param sink - A `WritableStream` is locked by this transport from here on.
   * @throws `TypeError` for options that do not exist or are out of range.
   */
  constructor(
    inner: Transport<C>,
    sink: LineSink | WritableStream<string>,
    options: LoggingTransportOptions = {},
  ) {
    checkOptionNames("new LoggingTransport", options, "redact limits clock", limitRules);
    const { maxQueued } = readLimits(options.limits, limitRules);
    const lines = "getWriter" in sink ? sinkOver(sink.getWriter(), maxQueued) : sink;
    this.#wrapped = wrapTransport(inner, () => hooksFor(lines, options));
  }

  connect(options?: ConnectOptions): Promise<C> {
    return this.#wrapped.connect(options);
  }

  /** The credentials of the wrapped transport. */
  get authorization(): Authorization | undefined {
    return this.#wrapped.authorization;
  }
}

function hooksFor(sink: LineSink, { redact, clock = systemClock }: LoggingTransportOptions): TransportHooks {
  const start = clock.now();
  const at = (): number => Math.round((clock.now() - start) * 1000) / 1000;
  const log = (entry: () => LogEntry): void => {
    try {
      takeLateFailure(sink.write(`${JSON.stringify(entry())}\n`), () => {});
    } catch {
      // See the class: the connection continues without logging.
    }
  };
  const message = (value: unknown, dir: "read" | "write"): LogEntry => ({
    at: at(),
    dir,
    message: redact === undefined ? value : redact(value, dir),
  });
  return {
    onRead(incoming) {
      log(() =>
        isMalformed(incoming)
          ? { at: at(), dir: "read", error: incoming.malformed.message }
          : message(bare(incoming), "read"),
      );
      return incoming;
    },
    onWrite(outgoing: Outgoing) {
      log(() => message(outgoing, "write"));
      return outgoing;
    },
    onWriteError(error) {
      log(() => ({ at: at(), dir: "write", error: describe(error) }));
    },
    onEnd(error) {
      log(() =>
        error === undefined ? { at: at(), dir: "end" } : { at: at(), dir: "read", error: describe(error) },
      );
    },
  };
}

function sinkOver(writer: WritableStreamDefaultWriter<string>, maxQueued: number): LineSink {
  let queued = 0;
  const write = async (line: string): Promise<void> => {
    queued++;
    try {
      await writer.write(line);
    } finally {
      queued--;
    }
  };
  return { write: (line) => (queued < maxQueued ? write(line) : undefined) };
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
}

function bare(incoming: Incoming): unknown {
  return isBatch(incoming) ? incoming.batch : incoming;
}
