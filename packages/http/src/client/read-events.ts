import { HttpError } from "../error.ts";
import { EventParser, type ReceivedEvent } from "./event-parser.ts";
import { whole } from "./read-body.ts";

/** Options of {@link readEvents}. */
export interface ReadEventsOptions {
  /** Maximum length of an event, in UTF-16 code units. */
  readonly maxEventLength: number;
  /** Called with the `retry` field, in milliseconds. */
  readonly onRetry?: ((ms: number) => void) | undefined;
  /** Called for everything that arrives, comments included: the connection lives. */
  readonly onActivity?: (() => void) | undefined;
  /** Called for each comment: servers send them as heartbeats. */
  readonly onComment?: (() => void) | undefined;
}

/**
 * Yields the events of a stream, each when it is complete. An incomplete event at the end is
 * dropped. Comments are skipped.
 *
 * @throws `HttpError` `EVENT_TOO_LARGE`, or `NETWORK` if the stream breaks.
 *
 * @source WHATWG HTML, server-sent events
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { maxEventLength, onRetry, onActivity, onComment }: ReadEventsOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const decoder = new TextDecoder();
  let events: ReceivedEvent[] = [];
  const parser = new EventParser((event) => void events.push(event), onRetry, onComment);
  for await (const chunk of whole(body)) {
    onActivity?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    const complete = events;
    events = [];
    for (const event of complete) {
      if (event.data.length > maxEventLength) {
        throw tooLarge(maxEventLength);
      }
      yield event;
    }
    if (parser.pending > maxEventLength) {
      throw tooLarge(maxEventLength);
    }
  }
}

function tooLarge(maxEventLength: number): HttpError {
  return new HttpError("EVENT_TOO_LARGE", `Event exceeds the limit of ${maxEventLength} characters.`);
}
