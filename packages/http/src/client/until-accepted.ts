import { isHttpError } from "../error.ts";

/**
 * Sends the response to a request of the server until the server has accepted it: a server ignores
 * a response that it has received before.
 *
 * @param send - Sends it once.
 * @param pause - Called before it is sent again, with the number of failures so far, and the time
 *   that the server asked for. Throws when there must be no further attempt.
 * @throws The last failure, if another attempt would fail as well; what `pause` throws.
 */
export async function untilAccepted<T>(
  send: () => Promise<T>,
  pause: (failures: number, askedMs: number | undefined, error: unknown) => Promise<void>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error)) {
        throw error;
      }
      await pause(failures, isHttpError(error) ? error.retryAfterMs : undefined, error);
    }
  }
}

/** Whether the failure of a request may have gone when it is sent again. */
function isTransient(error: unknown): boolean {
  if (!isHttpError(error)) {
    return false;
  }
  const { code, status = 0 } = error;
  return code === "NETWORK" || (code === "STATUS" && (status >= 500 || status === 429 || status === 408));
}
