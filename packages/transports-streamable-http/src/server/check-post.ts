import { accepts, mediaType, type Exchange } from "@tenon/http/server";

import { MediaType } from "../shared/names.ts";
import { refusal, type Refusal } from "./refusal.ts";

/**
 * Whether a client accepts event streams and no JSON, against the specification. It gets its
 * response as a stream of one event.
 */
export function takesOnlyEvents(exchange: Exchange): boolean {
  const accept = exchange.header("accept");
  // Nearly every client names both types.
  return accept !== undefined && !accept.includes(MediaType.json) && !accepts(accept, MediaType.json);
}

/** Checks the headers that every POST needs, whichever era it is of. @source */
export function checkPost(exchange: Exchange): Refusal | undefined {
  const type = exchange.header("content-type");
  if (type !== MediaType.json && mediaType(type) !== MediaType.json) {
    return refusal(415, -32600, "The Content-Type of a request must be application/json");
  }
  const accept = exchange.header("accept");
  return accepts(accept, MediaType.json) || accepts(accept, MediaType.events)
    ? undefined
    : refusal(406, -32600, "A request must accept application/json and text/event-stream");
}
