import type { Connection } from "@tenon/jsonrpc2";
import { ndjsonConnection, type ByteStream } from "@tenon/jsonrpc2/stream";

// #region framing
/** Maximum size of the header of a message, in bytes. */
const maxHeaderBytes = 8192;

/**
 * A connection with the framing of the Language Server Protocol: a header with `Content-Length`, an
 * empty line, and the message. `read` of the stream returns chunks of any size.
 */
export function contentLengthConnection(stream: ByteStream): Connection {
  let rest: Uint8Array = new Uint8Array();
  let left = 0;

  async function read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const end = left > 0 ? -1 : Buffer.from(rest).indexOf("\r\n\r\n");
      if (end >= 0) {
        left = lengthIn(Buffer.from(rest.subarray(0, end)).toString("latin1"));
        rest = rest.subarray(end + 4);
      } else if (left > 0 && rest.length > 0) {
        return body();
      } else if (left === 0 && rest.length > maxHeaderBytes) {
        throw new Error(`Header exceeds the limit of ${maxHeaderBytes} bytes.`);
      } else {
        const chunk = await stream.read();
        if (chunk === undefined) {
          return undefined;
        }
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      }
    }
  }

  /** The next piece of a message. Line breaks between values become spaces. */
  function body(): Uint8Array {
    const part = rest.subarray(0, left);
    rest = rest.subarray(part.length);
    left -= part.length;
    const line = part.map((byte) => (byte === 10 || byte === 13 ? 32 : byte));
    return left === 0 ? Buffer.concat([line, Buffer.from("\n")]) : line;
  }

  return ndjsonConnection({
    ...stream,
    read,
    write(text) {
      const message = text.slice(0, -1);
      return stream.write(`Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`);
    },
    close: (reason) => stream.close(reason),
  });
}

function lengthIn(header: string): number {
  const digits = /^content-length: *(\d{1,10})\s*$/im.exec(header)?.[1];
  if (digits === undefined) {
    throw new Error(`Header must contain Content-Length; got ${JSON.stringify(header.slice(0, 100))}.`);
  }
  return Number(digits);
}
// #endregion framing
