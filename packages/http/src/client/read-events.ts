import { createParser, type EventSourceMessage } from "eventsource-parser";

import { HttpError } from "../error.ts";
import { whole } from "./read-body.ts";

/** One event as it was received. */
export interface ReceivedEvent {
  /** The name; `undefined` means `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Options of {@link readEvents}. */
export interface ReadEventsOptions {
  /** Longest event, in UTF-16 code units. */
  readonly maxEventLength: number;
  /** Takes the `retry` field, in milliseconds. */
  readonly onRetry?: ((ms: number) => void) | undefined;
  /** Called for everything that arrives, comments included: the connection lives. */
  readonly onActivity?: (() => void) | undefined;
}

/**
 * The events of a stream, each when it is complete; what is incomplete at the end is dropped. Comments are skipped.
 *
 * @throws `HttpError` `EVENT_TOO_LARGE`, or `NETWORK` if the stream breaks off.
 * @source WHATWG HTML, server-sent events
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { maxEventLength, onRetry, onActivity }: ReadEventsOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const decoder = new TextDecoder();
  let events: EventSourceMessage[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => {
      events.push(event);
    },
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
    },
    ...(onRetry === undefined ? {} : { onRetry }),
  });
  for await (const chunk of whole(body)) {
    onActivity?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    const complete = events;
    events = [];
    yield* complete;
    if (overflow) {
      throw new HttpError("EVENT_TOO_LARGE", `An event is longer than ${maxEventLength} characters.`);
    }
  }
}
