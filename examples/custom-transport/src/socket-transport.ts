import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { type Connection, type ConnectOptions, type Transport } from "@tenon/jsonrpc2";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";

// #region transport
/** One message per line over a TCP or Unix socket. */
export function socketTransport(path: string): Transport {
  return {
    async connect({ signal }: ConnectOptions = {}) {
      signal?.throwIfAborted();
      const socket = connect({ path });
      const abort = (): unknown => socket.destroy(signal?.reason as Error);
      signal?.addEventListener("abort", abort);
      await once(socket, "connect").finally(() => signal?.removeEventListener("abort", abort));
      return socketConnection(socket);
    },
  };
}

/** The connection over a socket that is open: for servers, and for clients that have one. */
export function socketConnection(socket: Socket): Connection {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  socket.on("error", () => {});
  return ndjsonConnection({
    read: async () => (await chunks.next()).value,
    write: promisify((text: string, done: (error?: Error | null) => void) => socket.write(text, done)),
    async close() {
      await Promise.race([
        new Promise<void>((flushed) => socket.end(flushed)),
        setTimeout(500, undefined, { ref: false }),
      ]);
      socket.destroy();
    },
  });
}
// #endregion transport
