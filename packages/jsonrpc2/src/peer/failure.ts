import { isLocalError } from "../error.ts";

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
