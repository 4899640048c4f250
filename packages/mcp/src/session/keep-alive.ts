import type { LimitRules, ResolvedLimits } from "@tenon/base";

import { lazy, type Lazy } from "../base/lazy.ts";
import { limitsOf } from "../base/limits.ts";
import type * as keepAliveModule from "./keep-alive.lazy.ts";

/**
 * Detects that the remote peer does not respond although the connection is open. A `ping` is sent
 * only after an interval without received messages, and not to a Streamable HTTP client without a
 * standalone stream.
 *
 * @source S-107
 */
export interface KeepAliveOptions {
  /**
   * Time between two checks, in milliseconds. `Infinity` disables keep-alive. Default: `30_000`.
   *
   * @source S-109
   */
  readonly intervalMs?: number | undefined;
  /** Time to wait for the response to a `ping`, in milliseconds. Default: `intervalMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of consecutive intervals without response or any other message after which the session
   * is closed. Default: `1`.
   *
   * @source S-108
   */
  readonly failureThreshold?: number | undefined;
}

/** Loaded with the first session that uses keep-alive. */
export const keepingAlive: Lazy<typeof keepAliveModule> = lazy(() => import("./keep-alive.lazy.ts"));

/** {@link KeepAliveOptions}, filled in. */
export type KeepAlive = ResolvedLimits<KeepAliveOptions>;

const keepAliveLimits: LimitRules<KeepAliveOptions> = {
  intervalMs: [30_000, 1],
  timeoutMs: [30_000, 1],
  failureThreshold: [1, 1],
};

/**
 * Whether keep-alive uses the method to check the remote peer. Such requests do not wait behind
 * hanging handlers.
 */
export function isHealthCheck(method: string): boolean {
  return method === "ping" || method === "server/discover";
}

/**
 * Fills in the defaults. Returns `undefined` if keep-alive is off.
 *
 * @throws `McpError` `INVALID_DEFINITION` for a number that is not valid.
 */
export function keepAliveOf(options: KeepAliveOptions | undefined): KeepAlive | undefined {
  if (options === undefined) {
    return undefined;
  }
  const resolved = limitsOf(options, keepAliveLimits, "keepAlive");
  const { intervalMs } = resolved;
  return intervalMs === Infinity ? undefined : { ...resolved, timeoutMs: options.timeoutMs ?? intervalMs };
}
