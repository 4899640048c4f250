import { accepts, mediaType, type Exchange, type HeaderFields } from "@tenon/http/server";

import { MediaType } from "../shared/names.ts";
import { refusal, refuse } from "./refusal.ts";

/**
 * Whether a client accepts event streams and no JSON, against the specification. It gets its
 * response as a stream of one event.
 */
export function takesOnlyEvents(exchange: Exchange): boolean {
  const accept = exchange.header("accept");
  // Nearly every client names both types.
  return accept !== undefined && !accept.includes(MediaType.json) && !accepts(accept, MediaType.json);
}

/**
 * Refuses a POST without the headers that every POST needs, whichever era it is of.
 *
 * @returns Whether it was refused.
 * @source
 */
export function refusePost(exchange: Exchange, headers: HeaderFields): boolean {
  if (exchange.method !== "POST") {
    return false;
  }
  const type = exchange.header("content-type");
  const accept = exchange.header("accept");
  if (type !== MediaType.json && mediaType(type) !== MediaType.json) {
    const message = "The Content-Type of a request must be application/json";
    refuse(exchange, refusal(415, message), headers);
  } else if (accepts(accept, MediaType.json) || accepts(accept, MediaType.events)) {
    return false;
  } else {
    const message = "A request must accept application/json and text/event-stream";
    refuse(exchange, refusal(406, message), headers);
  }
  return true;
}
