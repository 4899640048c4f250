import { accepts } from "@tenon/http/server";

import { HeaderName, MediaType } from "../shared/names.ts";
import type { Call } from "./call.ts";
import { refusal, refuse } from "./refusal.ts";
import type { Session } from "./session.ts";

/**
 * Serves the GET of a session: its own stream, or the rest of one that was lost. The stream ends
 * with the credentials of its reader.
 *
 * @source
 */
export async function serveStream(
  session: Session,
  { exchange, headers, info: { auth } }: Call,
): Promise<void> {
  if (!accepts(exchange.header("accept"), MediaType.events)) {
    refuse(exchange, refusal(406, "A GET must accept text/event-stream"), headers);
    return;
  }
  const lastEventId = exchange.header(HeaderName.lastEventId);
  if (lastEventId === undefined) {
    session.listen(exchange, headers, auth);
  } else {
    await session.resume(exchange, headers, lastEventId, auth);
  }
}
