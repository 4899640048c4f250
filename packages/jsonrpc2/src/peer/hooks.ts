import { isLocalError } from "../error.ts";
import { takeLateFailure } from "./late-failure.ts";
import type { PeerOptions, Unexpected } from "./options.ts";

/**
 * Runs what the user of a peer has hooked into it, whose failure must not reach the conversation.
 *
 * @returns What it returned; `undefined` if it failed.
 */
export function runHook<T>(options: PeerOptions, hook: () => T): T | undefined {
  try {
    const returned = hook();
    takeLateFailure(returned, (error) => reportError(options, error));
    return returned;
  } catch (error) {
    reportError(options, error);
    return undefined;
  }
}

/** Reports received input that belongs to no pending call. */
export function reportUnexpected(options: PeerOptions, unexpected: Unexpected): void {
  runHook(options, () => options.onUnexpected?.(unexpected));
}

/** Reports an error that is not returned to a caller. */
export function reportError(options: Pick<PeerOptions, "onError">, error: unknown): void {
  const { onError = toConsole } = options;
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
  if (!isLocalError(error, "CONNECTION_CLOSED")) {
    console.error(error);
  }
}
