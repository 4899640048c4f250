import { backoff } from "@tenon/base";

import type { StreamReconnect } from "./options.ts";

/**
 * Time after which a stream counts as healthy even if it has not delivered any message, in
 * milliseconds.
 */
export const healthyMs = 5000;

/** How much longer each further delay is. */
const growth = 1.5;

/**
 * The shortest delay that a server can ask for, unless the client's own first delay is shorter.
 * Shorter delays would repeat requests in a loop.
 */
const minAsked = 250;

/** Maximum delay that a server may request: longer delays overflow timers. */
const maxAsked = 3_600_000;

/**
 * How long to wait before an attempt, with jitter so that many clients of one server do not come
 * back at once.
 *
 * @param attempt - Failures in a row so far, from 0.
 * @param asked - What the server asked for, in milliseconds; never undercut.
 * @source R-351
 */
export function retryDelay(
  attempt: number,
  { initialDelayMs, maxDelayMs }: Pick<StreamReconnect, "initialDelayMs" | "maxDelayMs">,
  asked?: number,
): number {
  if (asked === undefined) {
    return backoff(attempt, { initialDelayMs, maxDelayMs, growth });
  }
  const least = Math.min(Math.max(asked, Math.min(minAsked, initialDelayMs)), maxAsked);
  const own = backoff(attempt, { initialDelayMs, maxDelayMs, growth, random: () => 1 });
  const grown = attempt === 0 ? least : Math.max(least, own);
  return grown * (1 + Math.random() / 10);
}
