import type { ServerRequest } from "@tenon/mcp";

import { networkOfSender } from "./network.ts";

/** The keys of sessions. They are valid within this process. */
const sessionNames = new WeakMap<object, string>();

/**
 * Returns the key of the sender of a request: its principal, otherwise the network of its address,
 * otherwise its session.
 *
 * @throws `TypeError` if the sender cannot be distinguished from others. All such senders would
 *   share one bucket.
 */
export function callerOf({ auth, http, session }: ServerRequest): string {
  if (auth !== undefined) {
    return `principal ${auth.principal}`;
  }
  if (http?.address !== undefined) {
    return `address ${networkOfSender(http.address)}`;
  }
  if (http !== undefined || session === undefined) {
    throw new TypeError(
      "The sender of this request cannot be distinguished from others. Authenticate senders, or set the option caller.",
    );
  }
  let name = sessionNames.get(session);
  if (name === undefined) {
    name = `session ${crypto.randomUUID()}`;
    sessionNames.set(session, name);
  }
  return name;
}
