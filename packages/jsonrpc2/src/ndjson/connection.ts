import { encode } from "../codec/encode.ts";
import { defaultLimits, type DecodeLimits } from "../codec/limits.ts";
import { createStreamDecoder, unusual } from "../codec/stream-decoder.ts";
import { connectionClosed } from "../error.ts";
import { isMalformed, type Incoming, type Outgoing } from "../message.ts";
import type { Connection, Network, WriteOptions } from "../transport.ts";
import { writeAccepted } from "../write-accepted.ts";
import { LineSplitter, SkippedLine, type Line } from "./line-splitter.ts";

/** A duplex stream of bytes, on which newline-delimited JSON is sent. */
export interface ByteStream {
  /**
   * The next chunk, `undefined` at the end. Rejects if the stream broke. The chunk's memory is not
   * reused.
   */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Sends text as UTF-8. Settles when accepted, which waits while the buffer is full; keeps the
   * order of the calls.
   */
  write(text: string): Promise<void>;
  /** Ends both directions; a pending `read` settles. Called once. */
  close(reason?: unknown): Promise<void>;
  /** Called with each line that is not a message, unless it was too long or not UTF-8. */
  onMalformed?(line: string): void;
  /** See {@link Connection.network}. */
  readonly network?: Network | undefined;
}

/**
 * A {@link Connection} over a byte stream, one message per line: LF on write; LF or CRLF on read, a
 * byte order mark and blank lines tolerated. For a line that is too long, not UTF-8 or not a
 * message, the peer sends an error response, and reading continues.
 *
 * @param limits - `maxMessageBytes` is the maximum size of a line.
 * @throws `TypeError` for limits that do not exist or are out of range.
 * @source S-018, R-250, R-251
 */
export function ndjsonConnection(stream: ByteStream, limits?: DecodeLimits): Connection {
  const decode = createStreamDecoder(limits);
  const maxBytes = limits?.maxMessageBytes ?? defaultLimits.maxMessageBytes;
  const splitter = new LineSplitter(maxBytes);
  let ended = false;
  let closing: Promise<void> | undefined;

  function toMessage(line: Line): Incoming | Promise<Incoming> {
    if (line instanceof SkippedLine) {
      return unusual(({ tooLong }) => tooLong(maxBytes, line.start));
    }
    const incoming = decode(line);
    return incoming instanceof Promise
      ? incoming.then((decoded) => told(decoded, line))
      : told(incoming, line);
  }

  function told(incoming: Incoming, line: Exclude<Line, SkippedLine>): Incoming {
    if (stream.onMalformed !== undefined && typeof line === "string" && isMalformed(incoming)) {
      stream.onMalformed(line);
    }
    return incoming;
  }

  async function readOn(): Promise<Incoming | undefined> {
    for (;;) {
      let chunk: Uint8Array | undefined;
      try {
        chunk = await stream.read();
      } catch (error) {
        if (closing === undefined) {
          throw error;
        }
      }
      if (closing !== undefined) {
        return undefined;
      }
      if (chunk === undefined) {
        ended = true;
        splitter.end();
      } else {
        splitter.push(chunk);
      }
      const line = splitter.next();
      if (line !== undefined) {
        return toMessage(line);
      }
      if (ended) {
        return undefined;
      }
    }
  }

  const connection: Connection = {
    network: stream.network,
    read() {
      if (closing !== undefined) {
        return Promise.resolve(undefined);
      }
      const line = splitter.next();
      if (line !== undefined) {
        return Promise.resolve(toMessage(line));
      }
      return ended ? Promise.resolve(undefined) : readOn();
    },
    write(message: Outgoing, options?: WriteOptions) {
      if (closing !== undefined) {
        return Promise.reject(connectionClosed());
      }
      const signal = options?.signal;
      if (signal?.aborted === true) {
        return Promise.reject(signal.reason);
      }
      try {
        const written = stream.write(`${encode(message)}\n`);
        return signal === undefined || written === writeAccepted ? written : orAborted(written, signal);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close(reason) {
      closing ??= stream.close(reason);
      return closing;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

/** Settles like `written`, unless the signal fires first. */
function orAborted(written: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const release = (): void => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort);
    written.then(resolve, reject).finally(release);
  });
}
