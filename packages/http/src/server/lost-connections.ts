/** The connection of a request. The stand-ins of some frameworks have less. */
export interface RequestConnection {
  readonly remoteAddress?: string | undefined;
  readonly destroyed?: boolean;
  once?(event: "close", listener: () => void): unknown;
}

const waiting = new WeakMap<RequestConnection, Set<() => void>>();

/**
 * Calls back once a connection is lost. It is for responses that wait for earlier responses on
 * their connection (pipelining), because the platform never closes such a response.
 *
 * @returns A function that ends the wait.
 */
export function onceLost(connection: RequestConnection, callback: () => void): () => void {
  const known = waiting.get(connection);
  const callbacks = known ?? new Set();
  callbacks.add(callback);
  if (known === undefined) {
    waiting.set(connection, callbacks);
    // One listener for all, because a client may send many requests at a time.
    connection.once?.("close", () => callbacks.forEach((lost) => lost()));
  }
  return () => callbacks.delete(callback);
}
