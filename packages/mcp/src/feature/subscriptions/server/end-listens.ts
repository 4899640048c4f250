import type { InnerServerSession } from "../../../request/server/session.ts";
import type { Listen } from "./listens.ts";

/**
 * Ends subscriptions of a session normally: each gets a result and then a cancellation, because the
 * specification requires either.
 *
 * @source, T-02
 */
export async function endListens(session: InnerServerSession, running: ReadonlySet<Listen>): Promise<void> {
  const ids = [...running].map(({ request }) => request.id);
  for (const entry of running) {
    entry.end();
  }
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
