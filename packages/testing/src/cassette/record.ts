import {
  LoggingTransport,
  type Clock,
  type Connection,
  type LineSink,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { checkOptionNames, type OptionNames } from "@tenon/jsonrpc2/transport";

import type { CassetteHeader } from "./format.ts";
import { createPlacer } from "./origin.ts";
import { hasToken, redactor, type Redaction } from "./redact.ts";

/** Options of {@link recordTransport}. */
export interface RecordOptions {
  /** The side whose transport is wrapped. Default: `"client"`. */
  readonly side?: "client" | "server" | undefined;
  /**
   * The command or the URL, for display. Tokens in it are redacted. By default the header has no
   * target.
   */
  readonly target?: string | undefined;
  /** Further secrets. The built-in rules always apply. */
  readonly redaction?: Redaction | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}

const optionNames: OptionNames<RecordOptions> = { side: true, target: true, redaction: true, clock: true };

/**
 * Wraps a transport and writes a cassette to `sink`: a header with the first connection, then one
 * line for each message, error and end. Secrets are redacted before a line is written. A line that
 * still contains something like a token is withheld: an `error` entry takes its place. A sink that
 * fails is ignored, and the conversation itself is unchanged.
 *
 * @param transport - Not connected yet.
 * @param sink - Called once for each complete line; it must not keep the process waiting.
 * @throws `TypeError` for options that do not exist, or a path that is no JSON pointer.
 */
export function recordTransport<C extends Connection>(
  transport: Transport<C>,
  sink: LineSink,
  options: RecordOptions = {},
): Transport<C> {
  checkOptionNames("recordTransport", options, optionNames);
  const redact = redactor(options.redaction);
  let connections = 0;
  return {
    connect(connectOptions) {
      const connection = connections;
      connections++;
      if (connection === 0) {
        writeLine(sink, headerOf(options, redact));
      }
      const lines: LineSink = { write: lineWriter(sink, connection, redact) };
      const logged = new LoggingTransport(transport, lines, { clock: options.clock });
      return logged.connect(connectOptions);
    },
    get authorization() {
      return transport.authorization;
    },
  };
}

function headerOf(options: RecordOptions, redact: (value: unknown) => unknown): CassetteHeader {
  const { side = "client", target } = options;
  return {
    tenon: 1,
    side,
    ...(target === undefined ? {} : { target: String(redact(target)) }),
    redacted: true,
  };
}

function lineWriter(
  sink: LineSink,
  connection: number,
  redact: (value: unknown) => unknown,
): (line: string) => void {
  const place = createPlacer();
  return (line) => {
    const { message, ...entry } = JSON.parse(line) as { readonly message?: unknown };
    const placed = { ...entry, connection, ...(message === undefined ? {} : place(message)) };
    const redacted = {
      ...placed,
      ...redactedParts({ message, error: "error" in entry ? entry.error : undefined }, redact),
    };
    if (hasToken(JSON.stringify(redacted))) {
      writeLine(sink, { ...placed, error: "Withheld: the message contains something like a token." });
      return;
    }
    writeLine(sink, redacted);
  };
}

function redactedParts(
  parts: { readonly message: unknown; readonly error: unknown },
  redact: (value: unknown) => unknown,
): object {
  return {
    ...(parts.message === undefined ? {} : { message: redact(parts.message) }),
    ...(parts.error === undefined ? {} : { error: redact(parts.error) }),
  };
}

function writeLine(sink: LineSink, value: object): void {
  // A recording must not break what it records.
  const written: unknown = sink.write(`${JSON.stringify(value)}\n`);
  if (written instanceof Promise) {
    written.catch(() => {});
  }
}
