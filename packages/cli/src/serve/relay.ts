import { isMalformed, type Connection, type Outgoing } from "@tenon/jsonrpc2/core";

/**
 * Passes every message between two connections, unchanged and in order, until one of them ends.
 * The other connection is then closed. Messages are read only as fast as they can be written.
 *
 * @throws The error that broke a connection.
 */
export async function relay(front: Connection, back: Connection, signal: AbortSignal): Promise<void> {
  const close = (): void => {
    void front.close(signal.reason);
    void back.close(signal.reason);
  };
  signal.addEventListener("abort", close);
  try {
    await Promise.race([pump(front, back), pump(back, front)]);
  } finally {
    signal.removeEventListener("abort", close);
    await Promise.allSettled([front.close(), back.close()]);
  }
}

async function pump(from: Connection, to: Connection): Promise<void> {
  for (let message = await from.read(); message !== undefined; message = await from.read()) {
    if (!isMalformed(message)) {
      await to.write(message as Outgoing);
    }
  }
}
