import { isRecord, reportError, takeLateFailure } from "@tenon/base";

import { isLocalError } from "../error.ts";
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

/**
 * Reports a response that was not sent.
 *
 * @returns The response to send in place of a result that JSON cannot carry, if the user of the
 *   peer has one.
 */
export function reportUnsent(
  options: Pick<PeerOptions, "onUnsent" | "onError">,
  request: Answered,
  response: Response,
  error: unknown,
): Response | undefined {
  const { onUnsent } = options;
  let result: unknown;
  const onError = (unsent: unknown): unknown => (result = onUnsent?.(request, response, unsent));
  reportError(onUnsent === undefined ? options : { onError }, error);
  return "result" in response && isRecord(result) && isLocalError(error, "NOT_SERIALIZABLE")
    ? { ...response, result }
    : undefined;
}
