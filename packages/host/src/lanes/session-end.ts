import type { ClientSession } from "@tenon/mcp";

/** A promise never forgets who waits for it, and a session may outlive the lanes that use it. */
const listeners = new WeakMap<ClientSession, Set<() => void>>();

/** Calls `listener` when a session has ended. @returns Forgets the listener. */
export function onSessionEnd(session: ClientSession, listener: () => void): () => void {
  let known = listeners.get(session);
  if (known === undefined) {
    const own = new Set<() => void>();
    known = own;
    listeners.set(session, own);
    void session.closed.then(() => {
      listeners.delete(session);
      own.forEach((each) => each());
    });
  }
  const all = known.add(listener);
  return () => void all.delete(listener);
}
