import { takeLateFailure } from "@tenon/base";
import { LocalError } from "@tenon/jsonrpc2/core";

import type { SessionOptions } from "./session-options.ts";

/**
 * Checks the id of a session.
 *
 * @param from - Where it comes from, for the error.
 * @throws `LocalError` `INVALID_STATE` if it is not visible ASCII.
 * @source R-361
 */
export function checkSessionId(sessionId: unknown, from: string): string {
  if (typeof sessionId !== "string" || !/^[!-~]+$/.test(sessionId)) {
    const got = typeof sessionId === "string" ? JSON.stringify(sessionId.slice(0, 50)) : typeof sessionId;
    const message = `${from} must be a string of visible ASCII, one character or more; got ${got}.`;
    throw new LocalError("INVALID_STATE", message);
  }
  return sessionId;
}

/**
 * The ID of a new session.
 *
 * @param isTaken - Whether a session has an ID.
 * @throws `LocalError` `INVALID_STATE` for an ID of `generateId` that is not valid, or taken.
 */
export function newSessionId(
  { generateId }: SessionOptions,
  onError: (error: unknown) => void,
  isTaken: (id: string) => boolean,
): string {
  if (generateId === undefined) {
    // The check makes one string of the pieces of which Node composes a UUID, which is 400 bytes
    // less for each session.
    return checkSessionId(crypto.randomUUID(), "The UUID of the platform");
  }
  const made: unknown = generateId();
  takeLateFailure(made, onError);
  const id = checkSessionId(made, "The return value of sessions.generateId");
  if (isTaken(id)) {
    throw new LocalError("INVALID_STATE", "sessions.generateId returned the id of an open session.");
  }
  return id;
}
