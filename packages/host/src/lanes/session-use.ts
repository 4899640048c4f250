import type { ServerSession } from "@tenon/mcp";

import type { LaneCaller } from "./caller.ts";

/** The use of the servers behind a proxy by the client of a legacy session. */
interface SessionUse {
  /** How many requests and subscriptions run. */
  running: number;
  /** Called when none of them runs any more. */
  readonly rested: Set<() => void>;
  /** The last time at which one began or ended, in milliseconds. */
  usedAt: number;
  /** Until when it may come back for a task, in milliseconds. */
  tasksUntil: number;
}

/** A session has connections to several servers, and must not be ended because of one of them. */
const uses = new WeakMap<ServerSession, SessionUse>();

function useOf(session: ServerSession): SessionUse {
  const known: SessionUse = uses.get(session) ?? { running: 0, rested: new Set(), usedAt: 0, tasksUntil: 0 };
  uses.set(session, known);
  return known;
}

/** Notes that a request or a subscription of a client runs. @returns Notes its end. */
export function beginUse({ session }: Pick<LaneCaller, "session">, now: () => number): () => void {
  if (session === undefined) {
    return () => {};
  }
  const use = useOf(session);
  use.running++;
  use.usedAt = now();
  let isRunning = true;
  return () => {
    if (isRunning) {
      isRunning = false;
      use.running--;
      use.usedAt = now();
      if (use.running === 0) {
        [...use.rested].forEach((listener) => listener());
      }
    }
  };
}

/** Calls `listener` when no request or subscription of a client runs. @returns Ends it. */
export function onRested(session: ServerSession, listener: () => void): () => void {
  const { rested } = useOf(session);
  rested.add(listener);
  return () => void rested.delete(listener);
}

/** Notes that the client may come back for a task. */
export function expectTask({ session }: LaneCaller, until: number): void {
  if (session !== undefined) {
    const use = useOf(session);
    use.tasksUntil = Math.max(use.tasksUntil, until);
  }
}

/** Since when a session is not used by its client, in milliseconds. `undefined` if it is used. */
export function unusedSince(session: ServerSession, now: number): number | undefined {
  const { running, usedAt, tasksUntil } = useOf(session);
  return running > 0 || now < tasksUntil ? undefined : usedAt;
}
