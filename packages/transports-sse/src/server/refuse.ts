import { withRetryAfter, type Exchange, type HeaderFields } from "@tenon/http/server";

/** Refuses a request. The transport has no format for that, so the message is for people. */
export function refuse(exchange: Exchange, status: number, message: string, headers: HeaderFields): void {
  exchange.respond(status, { ...withRetryAfter(status, headers), "content-type": "text/plain" }, message);
}
