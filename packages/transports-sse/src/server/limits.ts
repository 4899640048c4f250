import type { LimitRules } from "@tenon/base";
import { endpointLimits, type EndpointLimits } from "@tenon/http/server";

/** Limits of {@link createSSEHandler}. */
export interface SSEHandlerLimits extends EndpointLimits {
  /** Maximum number of sessions. Further sessions are rejected with 503. Default: `10_000`. */
  readonly maxSessions?: number | undefined;
  /**
   * Maximum number of sessions of one principal. Further sessions are rejected with 503. Clients
   * without a principal are not limited by it. Default: `64`.
   */
  readonly maxSessionsPerPrincipal?: number | undefined;
  /**
   * Interval of heartbeat comments on an idle stream, in milliseconds. `Infinity` disables them.
   * Default: `15_000`.
   */
  readonly heartbeatMs?: number | undefined;
}

/** The rules of {@link SSEHandlerLimits}. */
export const sseHandlerLimits: LimitRules<SSEHandlerLimits> = {
  ...endpointLimits,
  maxSessions: [10_000, 1],
  maxSessionsPerPrincipal: [64, 1],
  heartbeatMs: [15_000, 1],
};
