import { sleep } from "@tenon/base";

import type { ClientSession } from "../../request/client/session.ts";
import type { ClientDefinition } from "./definition.ts";

/** Maximum time that a session waits for its extensions before it closes, in milliseconds. */
const maxWaitMs = 5000;

/** Waits for the work that extensions do before a session closes. Its failures are reported. */
export async function lastWork(
  session: ClientSession,
  { beforeClose, clock, onError }: ClientDefinition,
  drainMs: number = maxWaitMs,
): Promise<void> {
  if (drainMs === 0) {
    return;
  }
  const over = new AbortController();
  const works = beforeClose.map(async (work) => {
    try {
      await work(session);
    } catch (error) {
      onError(error);
    }
  });
  const limit = sleep(Math.min(drainMs, maxWaitMs), { signal: over.signal, clock, keepsAlive: true });
  await Promise.race([Promise.all(works), limit, session.closed]);
  limit.catch(() => undefined);
  over.abort();
}
