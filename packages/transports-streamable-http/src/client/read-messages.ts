import { readEvents } from "@tenon/http/client";

import { lastEvent } from "./last-event.ts";
import type { StreamWatch } from "./silence.ts";

/** The place in a stream from which it can be resumed. */
export interface StreamPlace {
  lastEventId: string | undefined;
  /** The delay before the next connection that the server asked for, in milliseconds. */
  retryMs: number | undefined;
}

/**
 * Reads the messages of a stream until it ends.
 *
 * @param place - Is kept up to date.
 * @param receive - Handles the text of a message. The next message is read when it has settled.
 */
export async function readMessages(
  watch: StreamWatch,
  maxEventLength: number,
  place: StreamPlace,
  receive: (data: string) => Promise<void> | undefined,
): Promise<void> {
  const onRetry = (ms: number): void => {
    place.retryMs = ms;
  };
  const options = { maxEventLength, onRetry, onActivity: watch.heard, onComment: watch.beat };
  for await (const { id, event, data } of readEvents(watch.body, options)) {
    place.lastEventId = lastEvent(place.lastEventId, id);
    // An empty event opens a stream; other names than `message` are for others (T-69).
    if (data !== "" && (event === undefined || event === "message")) {
      watch.stop();
      await receive(data);
      watch.resume();
    }
  }
}
