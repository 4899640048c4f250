import type { Closed } from "@tenon/jsonrpc2";

import { stateKey, type SessionState } from "./state.ts";

type Callback = (closed: Closed) => void;

const waiting = stateKey(() => ({ callbacks: new Set<Callback>(), isHeard: false }));

/**
 * Calls a function when a session has ended. Reactions to `session.closed` cannot be removed, so
 * they would keep short-lived objects alive until a long session ends.
 *
 * @returns Removes the callback. Idempotent.
 */
export function onceClosed(
  session: { readonly state: SessionState; readonly closed: Promise<Closed> },
  callback: Callback,
): () => void {
  const state = session.state.get(waiting);
  const { callbacks } = state;
  callbacks.add(callback);
  if (!state.isHeard) {
    state.isHeard = true;
    void session.closed.then((closed) => {
      // Later callers get a settled promise, which retains nothing.
      state.isHeard = false;
      for (const tell of callbacks) {
        tell(closed);
      }
      callbacks.clear();
    });
  }
  return () => {
    callbacks.delete(callback);
  };
}
