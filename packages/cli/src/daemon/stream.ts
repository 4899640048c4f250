import { once } from "node:events";
import type { Socket } from "node:net";

import type { ByteStream } from "@tenon/jsonrpc2/stream";

const maxLineBytes = 1024 * 1024;

/** Reads the first line from a socket. The rest stays unread. */
export async function readLine(socket: Socket): Promise<string> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) {
        throw new Error("The connection ended before a line was complete.");
      }
      await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]);
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
        await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]).catch(
          () => {},
        );
      }
    },
    async write(text) {
      if (!socket.write(text)) {
        await Promise.race([once(socket, "drain"), once(socket, "close")]);
      }
    },
    async close() {
      socket.end();
      socket.destroySoon();
    },
  };
}
