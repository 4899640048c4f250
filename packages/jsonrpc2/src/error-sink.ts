import { isLocalError } from "./error.ts";
import { reportError } from "./peer/hooks.ts";

/**
 * Creates the function that reports errors without a caller.
 *
 * @param onError - The user's callback. Its own errors are dropped, because they must not change a
 *   response. Default: `console.error`, except for `CONNECTION_CLOSED`.
 */
export function errorSink(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => reportError({ onError }, error);
}

/**
 * Returns the failure of a handler for the error sink. If the handler's own peer has disconnected,
 * its failure is not reported. A `CONNECTION_CLOSED` error therefore belongs to another connection,
 * such as a connection to a server that the handler calls. It is wrapped, because the default sink
 * would discard it.
 *
 * @param subject - The failed handler: `The tool add`.
 */
export function failureOf(subject: string, error: unknown): unknown {
  return isLocalError(error, "CONNECTION_CLOSED")
    ? new Error(`${subject} failed: ${error.message}`, { cause: error })
    : error;
}
