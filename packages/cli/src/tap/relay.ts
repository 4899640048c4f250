import { isMalformed, type Connection, type Outgoing } from "@tenon/jsonrpc2/core";

import type { Observer } from "./observed.ts";

/**
 * Passes every message between two connections, in order, until one of them ends. The other
 * connection is then closed. Messages are read only as fast as they can be written. Input that is
 * not a message cannot be written to another kind of connection: a request among it gets an error
 * response, as from the server.
 *
 * @throws The error that broke a connection.
 */
export async function relay(
  front: Connection,
  back: Connection,
  observer: Observer,
  signal: AbortSignal,
): Promise<void> {
  const close = (): void => {
    void front.close(signal.reason);
    void back.close(signal.reason);
  };
  signal.addEventListener("abort", close);
  try {
    await Promise.race([pump("write", front, back, observer), pump("read", back, front, observer)]);
  } finally {
    signal.removeEventListener("abort", close);
    await Promise.allSettled([front.close(), back.close()]);
  }
}

async function pump(
  dir: "read" | "write",
  from: Connection,
  to: Connection,
  observer: Observer,
): Promise<void> {
  for (let incoming = await from.read(); incoming !== undefined; incoming = await from.read()) {
    observer.see(dir, incoming);
    if (!isMalformed(incoming)) {
      await to.write(incoming as Outgoing);
    } else if (dir === "write" && incoming.response !== true) {
      const { id = null, malformed } = incoming;
      await from.write({ jsonrpc: "2.0", id, error: malformed });
    }
  }
}
