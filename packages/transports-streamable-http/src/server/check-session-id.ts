import { LocalError } from "@tenon/jsonrpc2";

/** Checks the id of a session. @param from - Where it comes from, for the error. @throws `LocalError` `INVALID_STATE` if it is not visible ASCII. @source R-361 */
export function checkSessionId(sessionId: string, from: string): string {
  if (!/^[!-~]+$/.test(sessionId)) {
    const message = `${from} is not a session id: it must be visible ASCII, one character or more.`;
    throw new LocalError("INVALID_STATE", message);
  }
  return sessionId;
}
