import type { InnerClientSession } from "../../../request/client/inner-session.ts";

/** The URL mode elicitations of one session that the server has reported as complete. */
export interface Visits {
  /** The values of `elicitationId`, oldest first. */
  readonly finished: Set<string>;
  /** Called after each change of `finished`. */
  readonly waiting: Set<() => void>;
}

/** A server may send any ID, and before any caller waits for it: the latest IDs are kept. */
const maxFinished = 128;

const all = new WeakMap<InnerClientSession, Visits>();

/** Creates the {@link Visits} of a session. {@link finishPage} ignores sessions without them. */
export function keepVisits(session: InnerClientSession): Visits {
  const visits: Visits = { finished: new Set(), waiting: new Set() };
  all.set(session, visits);
  return visits;
}

/** Handles `notifications/elicitation/complete`. @source R-633 */
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
