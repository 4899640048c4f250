import type { Socket } from "node:net";

import type { ByteStream } from "@tenon/jsonrpc2/stream";

const maxLineBytes = 1024 * 1024;

/**
 * Reads the first line from a socket. The rest stays unread.
 *
 * @throws `Error` if the socket ends before the line is complete, or the line is too long.
 */
export async function readLine(socket: Socket): Promise<string> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) {
        throw new Error("The connection ended before a line was complete.");
      }
      await first(socket, ["readable", "end"]);
      continue;
    }
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf(10);
    if (end !== -1) {
      socket.unshift(bytes.subarray(end + 1));
      return bytes.toString("utf8", 0, end);
    }
    if (bytes.length > maxLineBytes) {
      throw new Error(`Send at most ${maxLineBytes} bytes in a line.`);
    }
  }
}

/** A socket as a stream of bytes. It is read only as fast as its reader takes the chunks. */
export function socketStream(socket: Socket): ByteStream {
  return {
    async read() {
      for (;;) {
        const chunk = socket.read() as Buffer | null;
        if (chunk !== null) {
          return chunk;
        }
        if (socket.readableEnded || socket.destroyed) {
          return undefined;
        }
        await first(socket, ["readable", "end"]);
      }
    },
    async write(text) {
      if (!socket.write(text) && !socket.destroyed) {
        await first(socket, ["drain"]);
      }
    },
    async close() {
      socket.end();
      socket.destroySoon();
    },
  };
}

/**
 * Waits for the first of some events, or for the end of the socket. Afterwards none of its
 * listeners is left, because a socket lives for thousands of reads.
 */
function first(socket: Socket, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const all = [...events, "close", "error"];
    const done = (): void => {
      for (const event of all) {
        socket.off(event, done);
      }
      resolve();
    };
    for (const event of all) {
      socket.on(event, done);
    }
  });
}
