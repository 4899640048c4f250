import { reasonOf } from "@tenon/base";

/**
 * Adds the failure of `server/discover` to the error of the `initialize` that followed it. Code and
 * type of that error are unchanged, because callers recognize it by them.
 *
 * @param error - The error of `initialize`.
 * @param earlier - The failure of `server/discover`; `undefined` if it is not worth reporting.
 * @returns The first error.
 */
export function withEarlier(error: unknown, earlier: unknown): unknown {
  const text = reasonOf(earlier);
  if (error instanceof Error && earlier !== undefined && !error.message.includes(text)) {
    error.message += ` Before, server/discover failed: ${text}`;
    error.cause ??= earlier;
  }
  return error;
}
