import { reportError, takeLateFailure } from "@tenon/base";

import type { Response } from "../message.ts";
import type { Answered, PeerOptions, Unexpected } from "./options.ts";

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

/** Reports a response that was not sent. */
export function reportUnsent(
  { onUnsent, onError }: Pick<PeerOptions, "onUnsent" | "onError">,
  request: Answered,
  response: Response,
  error: unknown,
): void {
  reportError(
    { onError: onUnsent === undefined ? onError : () => onUnsent(request, response, error) },
    error,
  );
}
