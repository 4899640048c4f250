import type { InnerServerSession } from "../../../request/server/session.ts";
import { listens } from "./listens.ts";

/**
 * Ends all subscriptions of a session normally: each gets a result and then a cancellation, because
 * the specification requires either. Returns `undefined` without subscriptions.
 *
 * @source, T-02
 */
export function endListens(session: InnerServerSession): Promise<void> | undefined {
  const running = session.state.peek(listens);
  if (running === undefined || running.size === 0) {
    return undefined;
  }
  const ids = [...running].map(({ request }) => request.id);
  for (const entry of running) {
    entry.end();
  }
  return cancelAfterAnswer(session, ids);
}

async function cancelAfterAnswer(session: InnerServerSession, ids: readonly unknown[]): Promise<void> {
  // The responses are written within this turn of the event loop.
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
  await Promise.allSettled(
    ids.map((requestId) =>
      session.notify("notifications/cancelled", { requestId, reason: "The server ends the subscription." }),
    ),
  );
}
