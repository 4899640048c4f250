import { checkOptionNames } from "@tenon/base";
import {
  LoggingTransport,
  type Connection,
  type LineSink,
  type LogEntry,
  type Transport,
} from "@tenon/jsonrpc2/core";

import { entryWriters, recordOptionNames, type RecordOptions } from "./recorder.ts";

/**
 * Wraps a transport and writes a cassette to `sink`: a header with the first connection, then one
 * line for each message, error and end. Secrets are redacted before a line is written. A line that
 * still contains something like a token is withheld: an `error` entry takes its place. A sink that
 * fails is ignored, and the conversation itself is unchanged.
 *
 * @param transport - Not connected yet.
 * @param sink - Called once for each complete line; it must not keep the process waiting.
 * @param options - `side` is the side whose transport is wrapped.
 * @throws `TypeError` for options that do not exist, or a path that is no JSON pointer.
 */
export function recordTransport<C extends Connection>(
  transport: Transport<C>,
  sink: LineSink,
  options: RecordOptions = {},
): Transport<C> {
  checkOptionNames("recordTransport", options, recordOptionNames);
  const startConnection = entryWriters(sink, options);
  return {
    connect(connectOptions) {
      const write = startConnection();
      const lines: LineSink = { write: (line) => write(JSON.parse(line) as LogEntry) };
      const logged = new LoggingTransport(transport, lines, { clock: options.clock });
      return logged.connect(connectOptions);
    },
    get authorization() {
      return transport.authorization;
    },
  };
}
