import { checkOptionNames, systemClock, type Clock } from "@tenon/base";
import { hasToken, redactor, redactTarget, type Redaction } from "@tenon/http/redact";
import type { LineSink, LogEntry } from "@tenon/jsonrpc2/core";

import type { CassetteHeader, CassetteOrigin } from "./format.ts";
import { createPlacer } from "./origin.ts";

/** Options of {@link createRecorder} and `recordTransport`. */
export interface RecordOptions {
  /** The side that is recorded. Default: `"client"`. */
  readonly side?: "client" | "server" | undefined;
  /**
   * The command or the URL, for display. Secrets in it are redacted: the user and the query of a
   * URL, options that are named like secrets, and tokens. By default the header has no target.
   */
  readonly target?: string | undefined;
  /** Further secrets. The built-in rules always apply. */
  readonly redaction?: Redaction | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The names of {@link RecordOptions}. */
export const recordOptionNames = "side target redaction clock";

/** Writes a cassette from messages that a program observes. */
export interface CassetteRecorder {
  /** Starts a connection. The first connection also writes the header. */
  connect(): ConnectionRecorder;
}

/** Writes the entries of one connection. `dir` is seen from the recorded side. */
export interface ConnectionRecorder {
  /** Writes a message, or a batch as an array of messages. */
  message(dir: "read" | "write", message: unknown): void;
  /** Writes a failure, or input that is not a message. */
  error(dir: "read" | "write", text: string): void;
  /** Writes the end of the connection. */
  end(): void;
}

/** Writes an entry that already has its time. */
export type EntryWriter = (entry: LogEntry) => void;

/**
 * Creates the recorder of a program that sees messages but does not own their transport, such as a
 * proxy. Secrets are redacted before a line is written. A line that still contains something like a
 * token is withheld: an `error` entry takes its place.
 *
 * @param sink - Called once for each complete line; it must not keep the process waiting. A sink
 *   that fails is ignored.
 * @throws `TypeError` for options that do not exist, or a path that is no JSON pointer.
 */
export function createRecorder(sink: LineSink, options: RecordOptions = {}): CassetteRecorder {
  checkOptionNames("createRecorder", options, recordOptionNames);
  const { clock = systemClock } = options;
  const connect = entryWriters(sink, options);
  return {
    connect() {
      const write = connect();
      const start = clock.now();
      const at = (): number => Math.round((clock.now() - start) * 1000) / 1000;
      return {
        message: (dir, message) => write({ at: at(), dir, message }),
        error: (dir, error) => write({ at: at(), dir, error }),
        end: () => write({ at: at(), dir: "end" }),
      };
    },
  };
}

/** Returns a function that starts a connection. The first connection also writes the header. */
export function entryWriters(sink: LineSink, options: RecordOptions): () => EntryWriter {
  const redact = redactor(options.redaction);
  let connections = 0;
  return () => {
    const connection = connections++;
    if (connection === 0) {
      writeLine(sink, headerOf(options, redact));
    }
    return entryWriter(sink, connection, redact);
  };
}

function headerOf(
  { side = "client", target }: RecordOptions,
  redact: (value: unknown) => unknown,
): CassetteHeader {
  return {
    tenon: 1,
    side,
    ...(target === undefined ? {} : { target: String(redact(redactTarget(target))) }),
    redacted: true,
  };
}

function entryWriter(sink: LineSink, connection: number, redact: (value: unknown) => unknown): EntryWriter {
  const place = createPlacer();
  return (logged) => {
    const {
      message,
      error,
      ...entry
    }: { readonly message?: unknown; readonly error?: string; readonly at: number } = logged;
    const placed = { ...entry, connection, ...(message === undefined ? {} : place(message)) };
    const line = lineOf({ ...placed, message, error }, redact);
    if (line === undefined || hasToken(line)) {
      const { stream: _, ...rest } = placed as typeof placed & CassetteOrigin;
      writeLine(sink, { ...rest, error: "Withheld: the message contains something like a token." });
      return;
    }
    send(sink, line);
  };
}

/** A line without secrets. `undefined` for a message that cannot be redacted. */
function lineOf(
  { message, error, ...placed }: { readonly message?: unknown; readonly error?: string | undefined },
  redact: (value: unknown) => unknown,
): string | undefined {
  // A recording must not break what it records.
  try {
    return JSON.stringify({
      ...placed,
      ...(message === undefined ? {} : { message: redact(message) }),
      ...(error === undefined ? {} : { error: redact(error) }),
    });
  } catch {
    return undefined;
  }
}

function writeLine(sink: LineSink, value: object): void {
  send(sink, JSON.stringify(value));
}

function send(sink: LineSink, line: string): void {
  // A recording must not break what it records.
  try {
    const written: unknown = sink.write(`${line}\n`);
    if (written instanceof Promise) {
      written.catch(() => {});
    }
  } catch {
    // See above.
  }
}
