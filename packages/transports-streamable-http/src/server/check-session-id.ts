import { LocalError } from "@tenon/jsonrpc2/core";

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
