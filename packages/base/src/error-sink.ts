import { takeLateFailure } from "./late-failure.ts";
import { hasCode } from "./unknown-value.ts";

/**
 * Creates the function that reports errors without a caller.
 *
 * @param onError - The user's callback. Its own errors are dropped, because they must not change a
 *   response. Default: `console.error`, except for `CONNECTION_CLOSED`.
 */
export function errorSink(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => reportError({ onError }, error);
}

/** Reports an error that is not returned to a caller, as {@link errorSink} does. */
export function reportError(
  { onError = toConsole }: { readonly onError?: ((error: unknown) => void) | undefined },
  error: unknown,
): void {
  try {
    takeLateFailure(onError(error), () => {});
  } catch {
    // An error sink that fails has nowhere left to report to.
  }
}

/**
 * On Node the console writes to standard error, which stdio servers do not use for messages.
 * Disconnected peers are not worth a line.
 */
function toConsole(error: unknown): void {
  if (!hasCode(error, "CONNECTION_CLOSED")) {
    console.error(error);
  }
}
