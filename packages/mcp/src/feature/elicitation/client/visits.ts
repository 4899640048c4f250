import type { InnerClientSession } from "../../../request/client/inner-session.ts";

/** The pages of one session that its server says are finished. */
export interface Visits {
  readonly finished: Set<string>;
  /** Called whenever there is one more. */
  readonly waiting: Set<() => void>;
}

/** A server may send any ID, and before any caller waits for it: the latest IDs are kept. */
const maxFinished = 128;

const all = new WeakMap<InnerClientSession, Visits>();

/** Begins to keep what a session's server says is finished. */
export function keepVisits(session: InnerClientSession): Visits {
  const visits: Visits = { finished: new Set(), waiting: new Set() };
  all.set(session, visits);
  return visits;
}

/** Handles the notification that an elicitation is complete. @source R-633 */
export function finishPage(session: InnerClientSession | undefined, elicitationId: string): void {
  const visits = session && all.get(session);
  if (visits === undefined) {
    return;
  }
  visits.finished.add(elicitationId);
  const [oldest] = visits.finished;
  if (visits.finished.size > maxFinished && oldest !== undefined) {
    visits.finished.delete(oldest);
  }
  visits.waiting.forEach((look) => look());
}
