import { isMalformed, type Incoming } from "@tenon/jsonrpc2/core";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";

/** Reads a copy of the bytes of a conversation. */
export interface LineReader {
  /** Adds bytes. Settles when every message that they complete has been seen. */
  push(chunk: Uint8Array): Promise<void>;
  /** Adds the end: bytes after the last line end are a line. */
  end(): Promise<void>;
}

/**
 * Reads messages, one on each line.
 *
 * @param see - Called with each message, and with each line that is not a message. Its text is
 *   absent for a line that is too long or not UTF-8.
 */
export function createLineReader(see: (incoming: Incoming, text?: string) => void): LineReader {
  let next: Uint8Array | undefined;
  let isAtEnd = false;
  let text: string | undefined;
  let take = (): void => {};
  let taken = (): void => {};
  const connection = ndjsonConnection({
    async read() {
      taken();
      if (next === undefined && !isAtEnd) {
        await new Promise<void>((resolve) => {
          take = resolve;
        });
      }
      const chunk = next;
      next = undefined;
      return chunk;
    },
    write: () => Promise.resolve(),
    close: () => Promise.resolve(),
    onMalformed(line) {
      text = line;
    },
  });
  const reading = (async () => {
    for (let incoming = await connection.read(); incoming !== undefined; incoming = await connection.read()) {
      see(incoming, isMalformed(incoming) ? text : undefined);
      text = undefined;
    }
  })();
  return {
    push(chunk) {
      const done = new Promise<void>((resolve) => {
        taken = resolve;
      });
      next = chunk;
      take();
      return done;
    },
    end() {
      isAtEnd = true;
      take();
      return reading;
    },
  };
}
