import { readLimits, type LimitRules, type ResolvedLimits } from "@tenon/base";

/** Limits of {@link Lanes}, and of the calls that run on them. */
export interface LaneLimits {
  /**
   * Maximum number of connections for one caller, whatever capabilities it declares. Further calls
   * wait for one. Default: `8`.
   */
  readonly maxPerCaller?: number | undefined;
  /**
   * Maximum number of connections in all. Above it, idle connections are closed. The connection of
   * a legacy session is closed only if the session has an ID, and either has not been used for
   * `idleMs`, or belongs to the principal with the most connections. The server may keep state for
   * the connection, so the session of the client ends too. If no connection can be closed, calls
   * wait while another connection is opening or waits for input, or while the sessions of a
   * principal with more connections are used (see `giveWayMs`). Otherwise they are refused with
   * `-32603`. Also the maximum number of replaced connections with running calls or kept tasks:
   * above it, the oldest is closed, and its calls fail with `-32603` and the reason `call-lost`.
   * Default: `64`.
   */
  readonly maxLanes?: number | undefined;
  /**
   * Maximum number of calls that wait for a connection. Above it, the last call of the caller with
   * most of them is refused with `-32603`. Default: `256`.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * Maximum number of calls that wait for the next round of a modern client. A further call is
   * ended when it requests input, or the oldest of another caller that has more of them. Also the
   * maximum number of tasks whose connection is kept, and of outcomes (see `keepMs`), at least one
   * each: above it, the oldest of the caller that has most is lost. Default: `1_000`.
   */
  readonly maxHeld?: number | undefined;
  /**
   * Maximum number of input requests of one call that wait for responses. Further ones are refused.
   * Default: `32`.
   */
  readonly maxInputs?: number | undefined;
  /**
   * How long a call waits for the next round of a modern client, in milliseconds. Then it is
   * cancelled. Default: `600_000` (10 min).
   */
  readonly holdMs?: number | undefined;
  /**
   * How long a call may wait for input of its client while other calls wait for its connection, in
   * milliseconds. Then the call is cancelled. Only for legacy servers whose connection does not
   * show which call requests input, such as programs. The same limit applies to a call that
   * waits for the sessions of a principal with more connections. Default: `10_000`.
   */
  readonly giveWayMs?: number | undefined;
  /**
   * How long the outcome of a call or a task is kept for requests that arrive twice, in
   * milliseconds. Default: `60_000`.
   */
  readonly keepMs?: number | undefined;
  /**
   * Maximum length of an outcome that is kept, in characters of JSON. If the outcome of a task is
   * longer, the connection of the task is kept instead. If the outcome of a call is longer, a round
   * of the call that arrives twice gets the reason `call-lost`. Default: `4_194_304`.
   */
  readonly maxOutcomeLength?: number | undefined;
  /**
   * Maximum length of all outcomes of calls that are kept, and of all outcomes of the tasks of a
   * server, in characters of JSON. Above it, the oldest of the caller whose outcomes are longest
   * are forgotten. Default: `33_554_432`.
   */
  readonly maxKeptLength?: number | undefined;
  /**
   * How long the first call on a new connection waits for the server to request the roots, in
   * milliseconds. Only for callers with roots. Default: `200`.
   */
  readonly rootsWaitMs?: number | undefined;
  /**
   * How long an unused connection is kept, in milliseconds. The connection of a legacy session is
   * kept until there are `maxLanes` connections. Default: `300_000` (5 min).
   */
  readonly idleMs?: number | undefined;
}

/** The rules of {@link LaneLimits}. */
export const laneLimits: LimitRules<LaneLimits> = {
  maxPerCaller: [8, 1],
  maxLanes: [64, 1],
  maxWaiting: [256, 0],
  maxHeld: [1000, 0],
  maxInputs: [32, 1],
  holdMs: [600_000, 1],
  giveWayMs: [10_000, 0],
  keepMs: [60_000, 0],
  maxOutcomeLength: [4_194_304, 0],
  maxKeptLength: [33_554_432, 0],
  rootsWaitMs: [200, 0],
  idleMs: [300_000, 0],
};

/** Fills in the defaults. @throws `TypeError` for a limit that is not allowed. */
export function readLaneLimits(limits: LaneLimits | undefined): ResolvedLimits<LaneLimits> {
  return readLimits(limits, laneLimits);
}
